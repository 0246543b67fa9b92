import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ENGINE = fileURLToPath(new URL("../../services/lease/engine/src/main.ts", import.meta.url));

export interface Server {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

let cables = 0;

/** Two hosts, `s0` of a server and `c0` of clients, and a cable between them; gone with everything in them when it is closed. */
export class Cable {
  readonly folder = mkdtempSync(join(tmpdir(), "frontdesk-bench-"));
  readonly #server: string;
  readonly #client: string;

  /** Each end with its address and the length of its network. */
  constructor(server: string, client: string) {
    const name = `fdb${process.pid}n${cables++}`;
    [this.#server, this.#client] = [`${name}s`, `${name}c`];
    ip("netns", "add", this.#server);
    ip("netns", "add", this.#client);
    const ends = ["type", "veth", "peer", "name", "c0", "netns", this.#client];
    ip("link", "add", "s0", "netns", this.#server, ...ends);
    for (const [host, device, address] of [
      [this.#server, "s0", server],
      [this.#client, "c0", client],
    ] as const) {
      ip("-n", host, "addr", "add", address, "dev", device, ...(address.includes(":") ? ["nodad"] : []));
      ip("-n", host, "link", "set", device, "up");
      ip("-n", host, "link", "set", "lo", "up");
    }
  }

  /** Resolves when both ends have an address of the link that is theirs. */
  async linkLocal(): Promise<void> {
    const isReady = (host: string, device: string) => {
      const shown = ip("-n", host, "-6", "addr", "show", "dev", device, "scope", "link");
      return shown.includes("inet6") && !shown.includes("tentative");
    };
    while (!isReady(this.#server, "s0") || !isReady(this.#client, "c0")) await delay(200);
  }

  close(): void {
    for (const host of [this.#server, this.#client]) {
      for (const pid of ip("netns", "pids", host).split("\n").filter(Boolean)) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // It has ended.
        }
      }
      ip("netns", "del", host);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a program among the clients; answers with what it printed, whatever its exit status is. */
  inClient(command: string, words: readonly string[]): string {
    try {
      return execFileSync("ip", ["netns", "exec", this.#client, command, ...words], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch (error) {
      return String((error as { stdout?: string }).stdout ?? "");
    }
  }

  /** One of our generators. */
  generate<Told>(program: string, ...words: Array<string | number>): Told {
    const path = fileURLToPath(new URL(program, import.meta.url));
    return JSON.parse(this.inClient(process.execPath, [path, ...words.map(String)])) as Told;
  }

  /** Our engine, when it serves. */
  async ours(folder: string, config: string): Promise<Server & { output: () => string }> {
    const { child, output } = this.#start(process.execPath, [ENGINE], {
      FRONTDESK_HOME: folder,
      LEASE_CONFIG: config,
    });
    while (!output().includes('"msg":"ready"')) {
      if (child.exitCode !== null) throw new Error(output());
      await delay(50);
    }
    return { name: "ours", pid: pidOf(child), stop: () => stop(child), output };
  }

  /** Another server, when it has had so long to come up. */
  async server(
    name: string,
    command: string,
    words: readonly string[],
    { env = {}, wait }: { readonly env?: NodeJS.ProcessEnv; readonly wait: number },
  ): Promise<Server> {
    const { child, output } = this.#start(command, words, env);
    await delay(wait);
    if (child.exitCode !== null) throw new Error(output());
    return { name, pid: pidOf(child), stop: () => stop(child) };
  }

  #start(command: string, words: readonly string[], env: NodeJS.ProcessEnv) {
    const child = spawn("ip", ["netns", "exec", this.#server, command, ...words], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    return { child, output: () => output };
  }
}

/** What perfdhcp says of one half of its exchanges. */
export const perfdhcpSays = (text: string, half: string, packets: "sent" | "received"): number =>
  Number(new RegExp(`${half}\\*\\*\\*[\\s\\S]*?${packets} packets: (\\d+)`).exec(text)?.[1] ?? Number.NaN);

/** Seconds of processor time a process has had. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function ip(...words: string[]): string {
  return execFileSync("ip", words, { encoding: "utf8" });
}

/** ip netns exec becomes the program itself. */
function pidOf(child: ChildProcess): number {
  if (child.exitCode !== null || !child.pid) throw new Error("a server did not start");
  return child.pid;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
