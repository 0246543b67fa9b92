import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { debianProgram } from "@frontdesk/testkit/debian";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
const nodes = fileURLToPath(new URL("nodes", import.meta.url));

/** Certificates, proxies and mirrors that the machine's own npm is set up with hold for the others too. */
const npm_config_globalconfig = execFileSync("npm", ["config", "get", "globalconfig"], {
  encoding: "utf8",
}).trim();

/**
 * A copy of this working tree as an unpacked tarball would have it: what git knows, without git's own folder,
 * and nothing installed.
 */
export function freshCopy(t: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-clone-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: repository,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((path) => path && existsSync(join(repository, path)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(repository, file), join(folder, file));
  }
  chmodSync(folder, 0o755);
  return folder;
}

/** Node 26 is linked against libatomic, which slim systems lack; its own users have it. */
export function libraryForNode26(t: Pick<TestContext, "skip">): boolean {
  const triple = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;
  return debianProgram(t, `/usr/lib/${triple}/libatomic.so.1`, "libatomic1") !== undefined;
}

/** A folder for PATH in which `node` and `npm` are the given version's. */
export function pathWithNode(t: Pick<TestContext, "after">, major: number): string {
  const platform = `${process.platform}-${process.arch}`;
  const node = join(nodes, "node_modules", `node-${major}-${platform}`, "bin/node");
  if (!existsSync(node)) {
    execFileSync("npm", ["install", "--no-save", "--loglevel=error"], { cwd: nodes, stdio: "pipe" });
  }
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-path-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  symlinkSync(node, join(folder, "node"));
  const npm = join(nodes, "node_modules/npm/bin/npm-cli.js");
  writeFileSync(join(folder, "npm"), `#!/bin/sh\nexec "${node}" "${npm}" "$@"\n`, { mode: 0o755 });
  return `${folder}:/usr/bin:/bin`;
}

export interface Run {
  readonly child: ChildProcess;
  output(): string;
  readonly exitCode: Promise<number | null>;
  /** Resolves when the text has been printed; rejects with the output when the program ends without it. */
  printed(text: string): Promise<void>;
  /** What a terminal does on Ctrl-C: the signal reaches every program in the foreground. */
  interrupt(): void;
}

/** Runs a command in a process group of its own, with an environment of its own. */
export function run(
  t: Pick<TestContext, "after">,
  cwd: string,
  command: string,
  words: string[],
  env: Record<string, string>,
): Run {
  const child = spawn(command, words, {
    cwd,
    env: {
      HOME: process.env.HOME,
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      npm_config_globalconfig,
      npm_config_prefer_offline: "true",
      npm_config_update_notifier: "false",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const exitCode = once(child, "close").then(([code]) => code as number | null);
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid)
      process.kill(-child.pid, "SIGTERM");
    await exitCode;
  });
  return {
    child,
    output: () => output,
    exitCode,
    printed: async (text) => {
      while (!output.includes(text)) {
        const waiting = new AbortController();
        const more = [child.stdout, child.stderr].map((stream) =>
          once(stream as NodeJS.EventEmitter, "data", { signal: waiting.signal }),
        );
        const ended = await Promise.race([...more, exitCode.then(() => "ended")]);
        waiting.abort();
        if (ended === "ended" && !output.includes(text))
          throw new Error(`ended without "${text}":\n${output}`);
      }
    },
    interrupt: () => {
      if (child.pid) process.kill(-child.pid, "SIGINT");
    },
  };
}
