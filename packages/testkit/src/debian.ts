import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** apt takes one at a time; so do we, across all test processes. */
const LOCK = join(tmpdir(), "frontdesk-apt.lock");
const STALE_LOCK_MS = 10 * 60_000;
let listsAreFresh = false;

/**
 * Makes sure that a program from Debian's packages is there: found, or installed when we are root on
 * Debian. Where neither can be, the test is skipped by that reason and the answer is undefined.
 */
export function debianProgram(
  t: Pick<TestContext, "skip">,
  program: string,
  ...packages: string[]
): string | undefined {
  const found = which(program);
  if (found) return found;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    t.skip(`${program} is not installed, and only root on Debian can install it`);
    return undefined;
  }
  withLock(() => {
    if (!which(program)) install(packages);
  });
  const installed = which(program);
  if (!installed) throw new Error(`${packages.join(", ")} was installed, but brought no ${program}`);
  return installed;
}

function install(packages: string[]): void {
  const apt = (...words: string[]) =>
    execFileSync("apt-get", ["-qq", "-y", ...words], {
      stdio: "pipe",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  if (!listsAreFresh) apt("update");
  listsAreFresh = true;
  apt("install", "--no-install-recommends", ...packages);
}

function which(program: string): string | undefined {
  const places = program.startsWith("/")
    ? [program]
    : ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"].map((place) => join(place, program));
  return places.find((path) => existsSync(path));
}

function withLock(work: () => void): void {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch {
      if (existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > STALE_LOCK_MS) rmdirSync(LOCK);
      Atomics.wait(wait, 0, 0, 250);
    }
  }
  try {
    work();
  } finally {
    rmdirSync(LOCK);
  }
}
