import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const FOLDERS = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  "/usr/lib/systemd",
];
const LOCK_SECONDS = 300;

function find(program: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, program)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The programs by name, installed from Debian's packages where they are missing; or why they cannot be had. */
export function debianPrograms<const P extends Record<string, string>>(
  wanted: P,
): { paths: { [K in keyof P]: string } } | { missing: string } {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return { missing: "it needs root on Linux" };
  const absent = Object.entries(wanted).filter(([program]) => !find(program));
  if (absent.length > 0) {
    const packages = [...new Set(absent.map(([, name]) => name))];
    const failure = install(packages);
    if (failure)
      return { missing: `the Debian packages ${packages.join(", ")} cannot be installed: ${failure}` };
  }
  const lost = Object.keys(wanted).find((program) => !find(program));
  if (lost) return { missing: `${lost} is not there even with ${wanted[lost]}` };
  return {
    paths: Object.fromEntries(Object.keys(wanted).map((program) => [program, find(program)])) as {
      [K in keyof P]: string;
    },
  };
}

function install(packages: string[]): string | undefined {
  if (!find("apt-get")) return "there is no apt-get";
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const lock = ["-o", `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  spawnSync("apt-get", [...lock, "update"], { env, stdio: "ignore" });
  const { status, stderr } = spawnSync(
    "apt-get",
    [...lock, "install", "-y", "--no-install-recommends", ...packages],
    {
      env,
      encoding: "utf8",
    },
  );
  return status === 0 ? undefined : stderr.trim().split("\n").at(-1);
}

export function run(command: string, ...words: string[]): string {
  return execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
