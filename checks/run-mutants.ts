import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { repository } from "./source-files.ts";

const MAX_TEST_MS = 5 * 60_000;

/**
 * `npm test -- --mutants [words]`: plants each mistake, or those whose description or file has one of the words, in a
 * copy of the repository, and sees that its tests notice.
 */
export function runMutants(words: readonly string[]): boolean {
  const chosen = MUTANTS.filter(({ mistake, file }) =>
    words.length === 0 ? true : words.some((word) => `${mistake} ${file}`.includes(word)),
  );
  const copy = mkdtempSync(join(tmpdir(), "frontdesk-mutants-"));
  try {
    // Linked, not copied, wherever nothing is written: a planted file takes the place of its link.
    execFileSync("cp", ["-al", `${repository}/.`, copy]);
    const survivors = chosen.filter((mutant) => !isKilled(copy, mutant));
    console.log(`${chosen.length - survivors.length} passed, ${survivors.length} failed, 0 skipped`);
    return chosen.length > 0 && survivors.length === 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function isKilled(copy: string, { mistake, file, find, replace, killedBy }: Mutant): boolean {
  const path = join(copy, file);
  const whole = readFileSync(path, "utf8");
  if (whole.split(find).length !== 2) {
    console.log(`FAILED  ${mistake}: ${file} has no such place, or several`);
    return false;
  }
  const plant = (text: string) => {
    rmSync(path);
    writeFileSync(path, text);
  };
  const passes = () =>
    spawnSync(process.execPath, ["--test", killedBy], { cwd: copy, timeout: MAX_TEST_MS }).status === 0;
  if (!passes()) {
    console.log(`FAILED  ${mistake}: ${killedBy} fails without it`);
    return false;
  }
  plant(whole.replace(find, () => replace));
  const killed = !passes();
  plant(whole);
  console.log(`${killed ? "ok" : "FAILED"}  ${mistake} (${killedBy})`);
  return killed;
}
