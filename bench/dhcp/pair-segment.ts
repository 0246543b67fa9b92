import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { HaInvitation, HaStatus } from "@frontdesk/lease-control-api/ha";
import type { Driven } from "./drive.ts";

const program = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ENGINE = program("../../services/lease/engine/src/main.ts");
const CLI = program("../../services/lease/cli/src/main.ts");
export const SERVERS = { a: "10.64.0.1", b: "10.64.0.3" } as const;
const LINK = { a: "10.99.0.1", b: "10.99.0.2" } as const;
const CLIENT = "10.64.0.2";
const POOL = ["10.65.0.1", "10.96.255.254"] as const;
const READY_MS = 1500;

export type Side = "a" | "b";

export interface PairedServer {
  readonly pid: number;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Two servers and their clients on one segment, and a cable of their own between the servers. */
export class PairSegment {
  readonly folder = mkdtempSync(join(tmpdir(), "frontdesk-bench-"));
  readonly #hosts: Readonly<Record<Side | "c", string>>;
  #nextClient = 1;

  constructor() {
    const name = `fdp${process.pid}`;
    this.#hosts = { a: `${name}a`, b: `${name}b`, c: `${name}c` };
    const { a, b, c } = this.#hosts;
    for (const host of [a, b, c]) {
      ip("netns", "add", host);
      ip("-n", host, "link", "set", "lo", "up");
    }
    ip("-n", c, "link", "add", "c0", "type", "bridge", "forward_delay", "0");
    ip("-n", c, "addr", "add", `${CLIENT}/10`, "dev", "c0");
    ip("-n", c, "link", "set", "c0", "up");
    for (const side of ["a", "b"] as const) {
      const host = this.#hosts[side];
      ip("link", "add", "s0", "netns", host, "type", "veth", "peer", "name", `to-${side}`, "netns", c);
      ip("-n", c, "link", "set", `to-${side}`, "master", "c0", "up");
      ip("-n", host, "addr", "add", `${SERVERS[side]}/10`, "dev", "s0");
      ip("-n", host, "link", "set", "s0", "up");
    }
    ip("link", "add", "ha", "netns", a, "type", "veth", "peer", "name", "ha", "netns", b);
    for (const side of ["a", "b"] as const) {
      ip("-n", this.#hosts[side], "addr", "add", `${LINK[side]}/30`, "dev", "ha");
      ip("-n", this.#hosts[side], "link", "set", "ha", "up");
    }
  }

  close(): void {
    for (const host of Object.values(this.#hosts)) {
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

  /** The cable between the two, or a machine with all that it has. */
  link(side: Side, devices: ReadonlyArray<"ha" | "s0">, state: "up" | "down"): void {
    for (const device of devices) ip("-n", this.#hosts[side], "link", "set", device, state);
  }

  home(side: Side): string {
    return join(this.folder, side);
  }

  async ours(side: Side, ha: "off" | "on"): Promise<PairedServer> {
    const home = this.home(side);
    mkdirSync(home, { recursive: true });
    const config = join(home, "engine.toml");
    writeFileSync(
      config,
      `[server]\ninterfaces = ["s0"]\n[lease]\ndefault_time = 7200\n[ha]\nenabled = ${ha === "on"}\nprimary = "${LINK.a}:31077"\nsecondary = "${LINK.b}:31077"\n[[subnet]]\nnetwork = "10.64.0.0/10"\noptions = { routers = ["10.64.0.1"], domain_name_servers = ["10.64.0.1"], domain_name = "example.org" }\n[[subnet.pool]]\nrange = "${POOL.join(" - ")}"\n`,
    );
    const env = { FRONTDESK_HOME: home, LEASE_CONFIG: config };
    const { child, output } = this.#start(side, process.execPath, [ENGINE], env);
    while (!output().includes('"msg":"ready"')) {
      if (child.exitCode !== null) throw new Error(output());
      await delay(20);
    }
    return served(child);
  }

  /** Two engines that have met. */
  async oursPaired(): Promise<Record<Side, PairedServer>> {
    const alone = [await this.ours("a", "off"), await this.ours("b", "off")];
    const { address, code } = this.leasectl<HaInvitation>("a", "ha", "pair");
    this.leasectl("b", "ha", "join", address, code);
    for (const engine of alone) await engine.stop();
    const [a, b] = await Promise.all([this.ours("a", "on"), this.ours("b", "on")]);
    await this.normal();
    return { a, b };
  }

  leasectl<T>(side: Side, ...words: string[]): T {
    const env = ["env", `FRONTDESK_HOME=${this.home(side)}`];
    const text = this.#run(this.#hosts[side], [...env, process.execPath, CLI, "--json", ...words]);
    return JSON.parse(text) as T;
  }

  /** By curl: a Node for each look would take a core from what is measured. */
  status(side: Side): HaStatus {
    const token = readFileSync(join(this.home(side), "lease/engine/control-token"), "utf8").trim();
    const words = [
      "curl",
      "--silent",
      "--fail",
      "--max-time",
      "30",
      "--header",
      `Authorization: Bearer ${token}`,
    ];
    return JSON.parse(this.#run(this.#hosts[side], [...words, "http://127.0.0.1:31076/v1/ha/status"]));
  }

  /** Waits until both are in normal operation; answers since when, in milliseconds. */
  async normal(): Promise<number> {
    for (;;) {
      const both = [this.status("a"), this.status("b")];
      if (both.every(({ state }) => state === "normal")) {
        return Math.max(...both.map(({ since }) => Date.parse(since)));
      }
      await delay(100);
    }
  }

  /** Waits until a node says that it is alone. */
  async alone(side: Side): Promise<void> {
    while (this.status(side).state !== "interrupted") await delay(100);
  }

  /** Kea with its HA hook; both sides have the same configuration but for their names. */
  async kea(side: Side, hooks: string): Promise<PairedServer> {
    const folder = join(this.folder, `kea-${side}`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "kea.json");
    writeFileSync(path, JSON.stringify(keaConfig(side, folder, hooks)));
    const env = { KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder };
    const { child, output } = this.#start(side, "kea-dhcp4", ["-c", path], env);
    await delay(READY_MS);
    if (child.exitCode !== null) throw new Error(output());
    return served(child);
  }

  /** New clients, or renewals, of one server. */
  generate(side: Side, rate: number, seconds: number, kind: "new" | "renew" = "new"): Driven {
    const words = this.#generator(side, rate, seconds, kind);
    return JSON.parse(this.#run(this.#hosts.c, [process.execPath, ...words])) as Driven;
  }

  /** New clients, beside whatever else is done meanwhile. */
  async generating(side: Side, rate: number, seconds: number): Promise<Driven> {
    const { child, output } = this.#start("c", process.execPath, this.#generator(side, rate, seconds, "new"));
    await once(child, "close");
    return JSON.parse(output()) as Driven;
  }

  #generator(side: Side, rate: number, seconds: number, kind: "new" | "renew"): string[] {
    const first = this.#clients(Math.ceil(rate * seconds) + 1000);
    return [
      program("./generator.ts"),
      ...[SERVERS[side], CLIENT, rate, seconds, first, kind, 1000].map(String),
    ];
  }

  /** Seconds that a change waits for the peer's acknowledgement while so many new clients come. */
  async lag(rate: number, seconds: number): Promise<number[]> {
    const token = join(this.home("a"), "lease/engine/control-token");
    const words = [program("./lag-watch.ts"), token, String(seconds)];
    const { child, output } = this.#start("a", process.execPath, words);
    const ended = once(child, "exit");
    this.generate("a", rate, seconds);
    await ended;
    return JSON.parse(output()) as number[];
  }

  /** When a server first answers, in milliseconds since `act` was done. */
  async firstAnswer(side: Side, act: () => Promise<void> | void, seconds: number): Promise<number> {
    const first = this.#clients(seconds * 250);
    const words = [SERVERS[side], CLIENT, first, seconds].map(String);
    const { child, output } = this.#start("c", process.execPath, [program("./first-answer.ts"), ...words]);
    const ended = once(child, "exit");
    await delay(READY_MS);
    if (child.exitCode !== null) throw new Error(`it answered before: ${output()}`);
    const at = performance.timeOrigin + performance.now();
    await act();
    await ended;
    const { answeredAt } = JSON.parse(output()) as { answeredAt: number | null };
    return answeredAt === null ? Number.POSITIVE_INFINITY : answeredAt - at;
  }

  #clients(count: number): number {
    const first = this.#nextClient;
    this.#nextClient += count;
    return first;
  }

  #run(host: string, words: readonly string[]): string {
    return execFileSync("ip", ["netns", "exec", host, ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }

  #start(side: Side | "c", command: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn("ip", ["netns", "exec", this.#hosts[side], command, ...words], {
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

/** ip netns exec becomes the program itself. */
function served(child: ChildProcess): PairedServer {
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  return { pid: child.pid as number, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}

const ip = (...words: string[]): string => execFileSync("ip", words, { encoding: "utf8" });

function keaConfig(side: Side, folder: string, hooks: string): object {
  const peer = (name: Side, role: string) => ({
    name,
    url: `http://${LINK[name]}:8000/`,
    role,
    "auto-failover": true,
  });
  return {
    Dhcp4: {
      "interfaces-config": { interfaces: ["s0"], "dhcp-socket-type": "udp" },
      "lease-database": {
        type: "memfile",
        persist: true,
        name: join(folder, "leases.csv"),
        "lfc-interval": 0,
      },
      "multi-threading": { "enable-multi-threading": true, "thread-pool-size": 2, "packet-queue-size": 64 },
      "valid-lifetime": 7200,
      "hooks-libraries": [
        { library: join(hooks, "libdhcp_lease_cmds.so") },
        {
          library: join(hooks, "libdhcp_ha.so"),
          parameters: {
            "high-availability": [
              {
                "this-server-name": side,
                mode: "hot-standby",
                "heartbeat-delay": 1000,
                "max-response-delay": 5000,
                "max-ack-delay": 1000,
                "max-unacked-clients": 0,
                "sync-timeout": 60_000,
                "multi-threading": {
                  "enable-multi-threading": true,
                  "http-dedicated-listener": true,
                  "http-listener-threads": 2,
                  "http-client-threads": 2,
                },
                peers: [peer("a", "primary"), peer("b", "standby")],
              },
            ],
          },
        },
      ],
      subnet4: [
        {
          id: 1,
          subnet: "10.64.0.0/10",
          pools: [{ pool: POOL.join(" - ") }],
          "option-data": [
            { name: "routers", data: SERVERS.a },
            { name: "domain-name-servers", data: SERVERS.a },
            { name: "domain-name", data: "example.org" },
          ],
        },
      ],
      loggers: [{ name: "kea-dhcp4", severity: "WARN", output_options: [{ output: "stdout" }] }],
    },
  };
}
