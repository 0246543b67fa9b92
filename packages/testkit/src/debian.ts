import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** apt takes one at a time; so do we, across all test processes. */
const LOCK = join(tmpdir(), "frontdesk-apt.lock");
const STALE_LOCK_MS = 10 * 60_000;
/** Of those who are no tests, such as the machine's own upgrades. */
const APT_LOCK_SECONDS = 300;
const FOLDERS = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  "/usr/lib/systemd",
];
let listsAreFresh = false;

/**
 * Makes sure that a program from Debian's packages is there: found, or installed when we are root on
 * Debian. Where neither can be, the test is skipped by that reason and the answer is undefined.
 */
export function debianProgram(
  t: Pick<TestContext, "skip">,
  program: string,
  debianPackage: string,
): string | undefined {
  if (canInstall()) installMissing({ [program]: debianPackage });
  const found = find(program);
  if (!found) t.skip(`${program} is not installed, and only root on Debian can install it`);
  return found;
}

/** Programs that only root can use, by name, installed where they are missing; or why they cannot be had. */
export function debianPrograms<const P extends Record<string, string>>(
  wanted: P,
): { paths: { [K in keyof P]: string } } | { missing: string } {
  if (!canInstall()) return { missing: "it needs root on Debian" };
  installMissing(wanted);
  const paths = Object.keys(wanted).map((program) => [program, find(program)]);
  return { paths: Object.fromEntries(paths) as { [K in keyof P]: string } };
}

/**
 * The files of Debian's packages, and of those that they need and this machine lacks, in a folder: what would
 * change the machine by being installed is not. False where they cannot be had; the test is skipped by that reason.
 */
export function unpackDebian(t: Pick<TestContext, "skip">, folder: string, ...packages: string[]): boolean {
  if (!canInstall()) {
    t.skip(`only root on Debian can fetch ${packages.join(", ")}`);
    return false;
  }
  const archives = `${folder}.archives`;
  mkdirSync(join(archives, "partial"), { recursive: true });
  mkdirSync(folder, { recursive: true });
  withLock(() => install(["--download-only", "-o", `Dir::Cache::archives=${archives}`, ...packages]));
  for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb")))
    execFileSync("dpkg", ["-x", join(archives, file), folder]);
  rmSync(archives, { recursive: true });
  // As on the machine, where /bin, /sbin and /lib are in /usr.
  for (const place of ["bin", "sbin", "lib"])
    if (existsSync(join(folder, place)))
      cpSync(join(folder, place), join(folder, "usr", place), { recursive: true, verbatimSymlinks: true });
  return true;
}

/** Under the lock also where all are there: while others install, a program comes before the libraries it needs. */
function installMissing(wanted: Readonly<Record<string, string>>): void {
  withLock(() => {
    const absent = Object.entries(wanted).filter(([program]) => !find(program));
    if (absent.length > 0) install([...new Set(absent.map(([, debianPackage]) => debianPackage))]);
  });
  const lost = Object.keys(wanted).find((program) => !find(program));
  if (lost) throw new Error(`${wanted[lost]} was installed, but brought no ${lost}`);
}

function install(words: string[]): void {
  const apt = (...words: string[]) =>
    execFileSync("apt-get", ["-qq", "-y", "-o", `DPkg::Lock::Timeout=${APT_LOCK_SECONDS}`, ...words], {
      stdio: "pipe",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  if (!listsAreFresh) apt("update");
  listsAreFresh = true;
  apt("install", "--no-install-recommends", ...words);
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

function find(program: string): string | undefined {
  const places = program.startsWith("/") ? [program] : FOLDERS.map((folder) => join(folder, program));
  return places.find((path) => existsSync(path));
}

function withLock(work: () => void): void {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch {
      // Whoever had it may leave it at any moment.
      const made = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - made > STALE_LOCK_MS) rmSync(LOCK, { recursive: true, force: true });
      Atomics.wait(wait, 0, 0, 50);
    }
  }
  try {
    work();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}
