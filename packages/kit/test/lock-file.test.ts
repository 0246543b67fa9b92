import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lockFile, lockIfFree } from "@frontdesk/kit/lock-file";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const TAKEN = "Another one has it.";

test("one process at a time has the lock; the next gets it when that one lets go, and nothing is written", (t) => {
  const folder = temporaryHome(t);
  const path = join(folder, "lock");
  const letGo = lockFile(path, TAKEN);
  const other = `
    import { lockFile } from ${JSON.stringify(import.meta.resolve("@frontdesk/kit/lock-file"))};
    try { lockFile(${JSON.stringify(path)}, "taken")(); console.log("got it"); } catch (error) { console.log(error.message); }
  `;
  const inAnotherProcess = () =>
    execFileSync(process.execPath, ["--input-type=module", "-e", other], { encoding: "utf8" }).trim();
  assert.throws(() => lockFile(path, TAKEN), { name: "StartProblem", message: TAKEN });
  assert.equal(lockIfFree(path), undefined);
  assert.equal(inAnotherProcess(), "taken");
  assert.deepEqual(readdirSync(folder), ["lock"], "no journal, for which a full disk has no room");
  letGo();
  assert.equal(inAnotherProcess(), "got it");
});

test("a file that cannot be locked is not said to be somebody else's", (t) => {
  const folder = temporaryHome(t);
  mkdirSync(join(folder, "a folder"));
  writeFileSync(join(folder, "a text"), "This is no lock, and was not made by one. ".repeat(100));
  for (const name of ["a folder", "a text", "missing/lock"])
    assert.throws(
      () => lockFile(join(folder, name), TAKEN),
      (error: Error) => error.name === "StartProblem" && /cannot be locked \(.+\): /.test(error.message),
      name,
    );
});
