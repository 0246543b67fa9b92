import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Lease, LeasePage } from "@frontdesk/lease-control-api/schemas";
import { parseHex } from "@frontdesk/lease-options/address";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { eventView } from "../src/control/lease-view.ts";
import { History } from "../src/store/history.ts";
import { compileCacheOf, readableProgram } from "./readable-program.ts";

const MAIN = "services/lease/engine/src/main.ts";
const CLI = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
/** How long something that must happen may take before the test gives up on it. */
const PATIENCE_MS = 90_000;
let networks = 0;

/** Hosts in network namespaces that this test made, and that go with it. */
export class TestNetwork {
  readonly folder: string;
  readonly #prefix: string;
  readonly #hosts = new Set<string>();
  readonly #processes = new Set<ChildProcess>();
  #isClosed = false;
  readonly #outputs = new Map<string, string>();

  constructor(t: Pick<TestContext, "after">) {
    this.#prefix = `fdt${process.pid}n${networks++}`;
    // Before the folder is removed, in which its processes write.
    t.after(() => this.#close());
    this.folder = temporaryHome(t);
  }

  host(name: string): string {
    const namespace = `${this.#prefix}${name}`;
    run("ip", "netns", "add", namespace);
    this.#hosts.add(namespace);
    this.ip(namespace, "link", "set", "lo", "up");
    return namespace;
  }

  ip(host: string, ...words: string[]): string {
    return run("ip", "-n", host, ...words);
  }

  /** Many at once: a program for each would take longer than all else in a test. */
  batch(host: string, lines: string[]): void {
    execFileSync("ip", ["-n", host, "-batch", "-"], { input: lines.join("\n") });
  }

  /** A switch inside a host, with the host's own address on it. */
  bridge(host: string, name: string, address: string): void {
    this.ip(host, "link", "add", name, "type", "bridge", "forward_delay", "0");
    this.ip(host, "addr", "add", address, "dev", name);
    this.ip(host, "link", "set", name, "up");
  }

  /** A cable from a switch of one host to an interface of another. */
  plug(host: string, bridge: string, other: string, device: string, mac: string): void {
    const port = `p${networks}${mac.slice(-2)}${device}`.slice(0, 15);
    this.ip(
      host,
      "link",
      "add",
      port,
      "type",
      "veth",
      "peer",
      "name",
      device,
      "netns",
      other,
      "address",
      mac,
    );
    this.ip(host, "link", "set", port, "master", bridge);
    this.ip(host, "link", "set", port, "up");
    this.ip(other, "link", "set", device, "up");
  }

  cable(
    host: string,
    device: string,
    address: string,
    other: string,
    otherDevice: string,
    otherAddress?: string,
  ): void {
    this.ip(host, "link", "add", device, "type", "veth", "peer", "name", otherDevice, "netns", other);
    this.ip(host, "addr", "add", address, "dev", device);
    this.ip(host, "link", "set", device, "up");
    if (otherAddress) this.ip(other, "addr", "add", otherAddress, "dev", otherDevice);
    this.ip(other, "link", "set", otherDevice, "up");
  }

  addressesOf(host: string, device: string): string[] {
    const [link] = JSON.parse(this.ip(host, "-j", "-4", "addr", "show", "dev", device)) as Array<{
      addr_info?: Array<{ local: string }>;
    }>;
    return (link?.addr_info ?? []).map(({ local }) => local);
  }

  /** Runs a program in a host and waits for its end. */
  run(host: string, command: string, ...words: string[]): string {
    return execFileSync("ip", ["netns", "exec", host, command, ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Starts a program in a host; it ends with the test at the latest. */
  start(
    host: string,
    command: string,
    words: string[],
    env: NodeJS.ProcessEnv = {},
    stdin: "ignore" | "pipe" = "ignore",
  ): { child: ChildProcess; output: () => string } {
    // What a failed test has left under way would start programs that nobody ends.
    if (this.#isClosed) throw new Error(`${command} is started after the end of its test`);
    const child = spawn("ip", ["netns", "exec", host, command, ...words], {
      env: { ...process.env, ...env },
      stdio: [stdin, "pipe", "pipe"],
    });
    this.#processes.add(child);
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk).slice(-100_000);
      this.#outputs.set(host, output);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    return { child, output: () => output };
  }

  /** What the last program in a host said. */
  outputOf(host: string): string {
    return this.#outputs.get(host) ?? "";
  }

  async engine(host: string, toml: string, name = "engine"): Promise<RunningEngine> {
    const home = join(this.folder, name);
    mkdirSync(home, { recursive: true });
    const config = join(home, "engine.toml");
    writeFileSync(config, toml);
    const program = readableProgram();
    const { child, output } = this.start(host, process.execPath, [join(program, MAIN)], {
      FRONTDESK_HOME: home,
      LEASE_CONFIG: config,
      NODE_COMPILE_CACHE: compileCacheOf(program),
    });
    await until(
      () => `the engine to be ready:\n${output()}`,
      () => output().includes('"msg":"ready"') || child.exitCode !== null,
    );
    if (child.exitCode !== null) throw new Error(`the engine did not start:\n${output()}`);
    const leasectl = (...words: string[]) =>
      JSON.parse(this.run(host, "env", `FRONTDESK_HOME=${home}`, process.execPath, CLI, "--json", ...words));
    const ask = (path: string) => {
      const token = readFileSync(join(home, "lease/engine/control-token"), "utf8").trim();
      const words = ["--silent", "--show-error", "--fail", "--max-time", "30"];
      const url = `http://127.0.0.1:31076${path}`;
      return JSON.parse(this.run(host, "curl", ...words, "--header", `Authorization: Bearer ${token}`, url));
    };
    const history = new History(join(home, "lease/engine/leases.db"));
    child.once("exit", () => history.close());
    return {
      child,
      output,
      config,
      leasectl,
      ask,
      leases: (state) => (ask(`/v1/leases?limit=1000${state ? `&state=${state}` : ""}`) as LeasePage).items,
      events: (mac) =>
        history.events
          .page({ mac: parseHex(mac) as Uint8Array, limit: 1000 })
          .items.map(eventView)
          .reverse(),
      renewals: (mac) => {
        const octets = parseHex(mac) as Uint8Array;
        const told = history.events.page({ mac: octets, limit: 1000 }).items;
        const kept = history.leases.page({ text: mac, limit: 10 }).items;
        return [...told, ...kept].reduce((sum, { renewals }) => sum + renewals, 0);
      },
      stop: async () => {
        child.kill("SIGTERM");
        if (child.exitCode === null) await once(child, "exit");
      },
    };
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    for (const host of this.#hosts) {
      for (const pid of run("ip", "netns", "pids", host).split("\n").filter(Boolean)) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // It ended by itself meanwhile.
        }
      }
    }
    for (const child of this.#processes) {
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    for (const host of this.#hosts) run("ip", "netns", "del", host);
  }
}

export interface RunningEngine {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly config: string;
  readonly leasectl: (...words: string[]) => unknown;
  /** The control API's answer, by curl: what is asked again and again is not worth a Node each time. */
  readonly ask: (path: string) => unknown;
  /** The leases in this state, or all, asked so. */
  readonly leases: (state?: "active") => Lease[];
  /** What happened to a client, oldest first. */
  readonly events: (mac: string) => Array<ReturnType<typeof eventView>>;
  /** How often it has renewed what it holds, told or not. */
  readonly renewals: (mac: string) => number;
  readonly stop: () => Promise<void>;
}

/** Waits for something that must happen. */
export async function until<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
  patience = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + patience;
  for (;;) {
    const seen = await look();
    if (seen) return seen as NonNullable<T>;
    if (Date.now() > deadline)
      throw new Error(`waited in vain for ${typeof what === "string" ? what : what()}`);
    await delay(200);
  }
}

function run(command: string, ...words: string[]): string {
  return execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
