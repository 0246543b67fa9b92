import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

const LOCK = join(tmpdir(), "frontdesk-debian-packages.lock");
const LOCK_LIMIT_MS = 300_000;

/**
 * The path of a program that Debian packages: from the machine, or installed where this is Debian
 * and we are root. Otherwise the test is skipped, with the reason, and there is no path.
 */
export async function debianProgram(
  t: Pick<TestContext, "skip">,
  program: string,
  packageName: string,
): Promise<string | undefined> {
  const found = whereIs(program);
  if (found) return found;
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) {
    t.skip(`${program} is not here, and only root on Debian can install it (package ${packageName})`);
    return undefined;
  }
  await install(packageName);
  const installed = whereIs(program);
  if (!installed) throw new Error(`The package ${packageName} was installed and brought no ${program}.`);
  return installed;
}

function whereIs(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin", "/sbin"];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** Test files run side by side, and apt lets only one in at a time. */
async function install(packageName: string): Promise<void> {
  const deadline = Date.now() + LOCK_LIMIT_MS;
  while (!taken()) {
    if (Date.now() > deadline) throw new Error(`Another installation holds ${LOCK}.`);
    await delay(200);
  }
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const words = ["install", "-y", "-qq", "--no-install-recommends", packageName];
    try {
      execFileSync("apt-get", words, { env, stdio: "pipe" });
    } catch {
      execFileSync("apt-get", ["update", "-qq"], { env, stdio: "pipe" });
      execFileSync("apt-get", words, { env, stdio: "pipe" });
    }
  } finally {
    rmdirSync(LOCK);
  }
}

function taken(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    if (existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > LOCK_LIMIT_MS) rmdirSync(LOCK);
    return false;
  }
}
