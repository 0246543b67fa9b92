import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** What was done with one store of trusted authorities, or why not. */
export interface TrustReport {
  readonly store: string;
  readonly done: boolean;
  readonly what: string;
}

const NICKNAME = "Frontdesk print bridge";
const FILE_NAME = "frontdesk-print.crt";

/** Where Linux distributions keep authorities, and what makes them notice. */
const LINUX_STORES = [
  { folder: "/usr/local/share/ca-certificates", refresh: "update-ca-certificates", words: [] },
  { folder: "/etc/pki/ca-trust/source/anchors", refresh: "update-ca-trust", words: ["extract"] },
  { folder: "/etc/ca-certificates/trust-source/anchors", refresh: "trust", words: ["extract-compat"] },
] as const;

/** Makes this machine believe, or no longer believe, the bridge's own authority. */
export function changeTrust(
  authority: string,
  change: "add" | "remove",
  browsersOnly = false,
): TrustReport[] {
  if (process.platform === "darwin") return [macKeychain(authority, change)];
  if (process.platform === "win32") return [windowsStore(authority, change)];
  return [...(browsersOnly ? [] : [linuxSystem(authority, change)]), ...browserStores(authority, change)];
}

function attempt(store: string, what: string, work: () => void): TrustReport {
  try {
    work();
    return { store, done: true, what };
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    const reason =
      code === "EACCES" || code === "EPERM"
        ? "it may only be changed by an administrator (run this again with sudo)"
        : String(stderr || message)
            .trim()
            .split("\n")[0];
    return { store, done: false, what: `left as it was: ${reason}` };
  }
}

function linuxSystem(authority: string, change: "add" | "remove"): TrustReport {
  const found = LINUX_STORES.find(({ folder }) => existsSync(folder));
  if (!found)
    return { store: "system", done: false, what: "left as it was: this system has no store that we know" };
  return attempt(
    "system",
    change === "add" ? `added to ${found.folder}` : `removed from ${found.folder}`,
    () => {
      const target = join(found.folder, FILE_NAME);
      const wasThere = existsSync(target);
      if (change === "add") copyFileSync(authority, target);
      else rmSync(target, { force: true });
      try {
        run(found.refresh, found.words, "it is what makes this system notice");
      } catch (error) {
        // Half of it would be believed at some later update that has nothing to do with us.
        if (change === "add" && !wasThere) rmSync(target, { force: true });
        throw error;
      }
    },
  );
}

/** Programs of the system's keeper, which not everybody who may run them has in the path. */
const KEEPERS_PATH = ":/usr/sbin:/sbin";

/** Runs a program; where it is missing, says so and why it is needed. */
function run(program: string, words: readonly string[], why: string): void {
  const env = { ...process.env, PATH: `${process.env.PATH ?? ""}${KEEPERS_PATH}` };
  try {
    execFileSync(program, words, { stdio: "pipe", env });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error(`${program} is not here (${why})`);
  }
}

/** Chromium and Firefox keep their own; both are written with NSS's certutil. */
function browserStores(authority: string, change: "add" | "remove"): TrustReport[] {
  const home = homedir();
  const shared = join(home, ".pki", "nssdb");
  const firefox = [
    join(home, ".mozilla", "firefox"),
    join(home, "snap", "firefox", "common", ".mozilla", "firefox"),
  ]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((profile) => join(folder, profile)))
    .filter((profile) => existsSync(join(profile, "cert9.db")));
  const stores = [
    { name: "Chromium and Chrome", path: shared },
    ...firefox.map((path) => ({ name: `Firefox (${path})`, path })),
  ];
  return stores.map(({ name, path }) =>
    attempt(name, change === "add" ? `added to ${path}` : `removed from ${path}`, () => {
      const certutil = (...words: string[]) =>
        run("certutil", ["-d", `sql:${path}`, ...words], "Debian: libnss3-tools, Fedora: nss-tools");
      if (!existsSync(join(path, "cert9.db"))) {
        if (change === "remove") return;
        mkdirSync(path, { recursive: true, mode: 0o700 });
        certutil("-N", "--empty-password");
      }
      try {
        certutil("-D", "-n", NICKNAME);
      } catch (error) {
        // It was not there: nothing to take away.
        if (!String((error as { stderr?: Buffer }).stderr).includes("SEC_ERROR_")) throw error;
      }
      if (change === "add") certutil("-A", "-t", "C,,", "-n", NICKNAME, "-i", authority);
    }),
  );
}

function macKeychain(authority: string, change: "add" | "remove"): TrustReport {
  const words =
    change === "add"
      ? [
          "add-trusted-cert",
          "-r",
          "trustRoot",
          "-k",
          join(homedir(), "Library/Keychains/login.keychain-db"),
          authority,
        ]
      : ["remove-trusted-cert", authority];
  return attempt("login keychain", change === "add" ? "added" : "removed", () => {
    execFileSync("security", words, { stdio: "pipe" });
  });
}

function windowsStore(authority: string, change: "add" | "remove"): TrustReport {
  const serial = new X509Certificate(readFileSync(authority)).serialNumber;
  const words =
    change === "add" ? ["-user", "-addstore", "Root", authority] : ["-user", "-delstore", "Root", serial];
  return attempt("your root store", change === "add" ? "added" : "removed", () => {
    execFileSync("certutil", words, { stdio: "pipe" });
  });
}
