import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const SERVER = "10.64.0.1";
export const CLIENT = "10.64.0.2";
const POOL = ["10.65.0.1", "10.80.255.254"] as const;
/** Beside those that are counted, the ones that get an address to renew. */
const RENEWING_CLIENTS = 5000;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export interface Server {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Two hosts and a cable between them; gone with everything in them when it is closed. */
export class Segment {
  readonly folder = mkdtempSync(join(tmpdir(), "frontdesk-bench-"));
  readonly #server = `fdb${process.pid}s`;
  readonly #client = `fdb${process.pid}c`;
  #nextClient = 1;

  constructor() {
    const ip = (...words: string[]) => execFileSync("ip", words);
    ip("netns", "add", this.#server);
    ip("netns", "add", this.#client);
    ip(
      "link",
      "add",
      "s0",
      "netns",
      this.#server,
      "type",
      "veth",
      "peer",
      "name",
      "c0",
      "netns",
      this.#client,
    );
    for (const [host, device, address] of [
      [this.#server, "s0", SERVER],
      [this.#client, "c0", CLIENT],
    ] as const) {
      ip("-n", host, "addr", "add", `${address}/10`, "dev", device);
      ip("-n", host, "link", "set", device, "up");
      ip("-n", host, "link", "set", "lo", "up");
    }
  }

  close(): void {
    for (const host of [this.#server, this.#client]) {
      for (const pid of execFileSync("ip", ["netns", "pids", host], { encoding: "utf8" })
        .split("\n")
        .filter(Boolean)) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // It has ended.
        }
      }
      execFileSync("ip", ["netns", "del", host]);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async ours(
    home = "ours",
    pool: readonly [string, string] = POOL,
  ): Promise<Server & { output: () => string }> {
    const folder = join(this.folder, home);
    mkdirSync(folder, { recursive: true });
    const config = join(folder, "engine.toml");
    writeFileSync(
      config,
      `[server]\ninterfaces = ["s0"]\n[lease]\ndefault_time = 7200\n[[subnet]]\nnetwork = "10.64.0.0/10"\noptions = { routers = ["10.64.0.1"], domain_name_servers = ["10.64.0.1"], domain_name = "example.org" }\n[[subnet.pool]]\nrange = "${pool[0]} - ${pool[1]}"\n`,
    );
    const main = here("../../services/lease/engine/src/main.ts");
    const { child, output } = this.#start(process.execPath, [main], {
      FRONTDESK_HOME: folder,
      LEASE_CONFIG: config,
    });
    while (!output().includes('"msg":"ready"')) {
      if (child.exitCode !== null) throw new Error(output());
      await delay(50);
    }
    return { name: "ours", pid: this.#inside(child), stop: () => stop(child), output };
  }

  async kea(threads: number): Promise<Server> {
    const folder = join(this.folder, `kea${threads}`);
    mkdirSync(folder, { recursive: true });
    const config = {
      Dhcp4: {
        "interfaces-config": { interfaces: ["s0"], "dhcp-socket-type": "udp" },
        "lease-database": {
          type: "memfile",
          persist: true,
          name: join(folder, "leases.csv"),
          "lfc-interval": 0,
        },
        "multi-threading": {
          "enable-multi-threading": threads > 1,
          "thread-pool-size": threads,
          "packet-queue-size": 64,
        },
        "valid-lifetime": 7200,
        subnet4: [
          {
            id: 1,
            subnet: "10.64.0.0/10",
            pools: [{ pool: POOL.join(" - ") }],
            "option-data": [
              { name: "routers", data: SERVER },
              { name: "domain-name-servers", data: SERVER },
              { name: "domain-name", data: "example.org" },
            ],
          },
        ],
        loggers: [{ name: "kea-dhcp4", severity: "WARN", output_options: [{ output: "stdout" }] }],
      },
    };
    const path = join(folder, "kea.json");
    writeFileSync(path, JSON.stringify(config));
    const { child } = this.#start("kea-dhcp4", ["-c", path], {
      KEA_PIDFILE_DIR: folder,
      KEA_LOCKFILE_DIR: folder,
    });
    await delay(1500);
    return {
      name: `Kea, ${threads} thread${threads > 1 ? "s" : ""}`,
      pid: this.#inside(child),
      stop: () => stop(child),
    };
  }

  async dnsmasq(): Promise<Server> {
    const leases = join(this.folder, "dnsmasq.leases");
    const { child } = this.#start("dnsmasq", [
      "--keep-in-foreground",
      "--conf-file=/dev/null",
      "--port=0",
      "--interface=s0",
      "--bind-interfaces",
      "--user=root",
      `--dhcp-range=${POOL[0]},${POOL[1]},255.192.0.0,2h`,
      "--dhcp-lease-max=2000000",
      `--dhcp-leasefile=${leases}`,
      "--dhcp-authoritative",
      "--no-ping",
      `--pid-file=${join(this.folder, "dnsmasq.pid")}`,
    ]);
    await delay(800);
    return { name: "dnsmasq", pid: this.#inside(child), stop: () => stop(child) };
  }

  /** perfdhcp's four-way exchange: how many ended, how many were lost. */
  perfdhcp(rate: number, seconds: number): { rate: number; sent: number; lost: number; unique: boolean } {
    let text = "";
    try {
      text = this.#inClient("perfdhcp", [
        "-4",
        "-r",
        String(rate),
        "-R",
        "1000000",
        "-p",
        String(seconds),
        "-u",
        "-l",
        "c0",
        SERVER,
      ]);
    } catch (error) {
      // It ends with 3 when exchanges were lost; its account is the same.
      text = String((error as { stdout?: string }).stdout ?? "");
    }
    const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);
    const sent = number(/DISCOVER-OFFER\*\*\*[\s\S]*?sent packets: (\d+)/);
    const acks = number(/REQUEST-ACK\*\*\*[\s\S]*?received packets: (\d+)/);
    const twice = [...text.matchAll(/non unique addresses: (\d+)/g)].some(([, n]) => n !== "0");
    return { rate: number(/Rate: ([\d.]+)/), sent, lost: 1 - acks / sent, unique: !twice };
  }

  /** Replies that reached the clients' host and found the reader's socket full. */
  overflown(): number {
    const [names = "", values = ""] = this.#inClient("cat", ["/proc/net/snmp"])
      .split("\n")
      .filter((line) => line.startsWith("Udp:"));
    return Number(values.split(" ")[names.split(" ").indexOf("RcvbufErrors")]);
  }

  /** Our own generator, with clients that no server has seen. */
  generate(rate: number, seconds: number, kind: "new" | "renew" = "new") {
    const first = this.#nextClient;
    this.#nextClient += Math.ceil(rate * seconds) + RENEWING_CLIENTS;
    const words = [
      here("./generator.ts"),
      SERVER,
      CLIENT,
      String(rate),
      String(seconds),
      String(first),
      kind,
      String(RENEWING_CLIENTS),
    ];
    return JSON.parse(this.#inClient(process.execPath, words)) as {
      begun: number;
      offers: number;
      acks: number;
      naks: number;
      rate: number;
      p50: number;
      p99: number;
    };
  }

  #inClient(command: string, words: string[]): string {
    return execFileSync("ip", ["netns", "exec", this.#client, command, ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }

  #start(command: string, words: string[], env: NodeJS.ProcessEnv = {}) {
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

  /** ip netns exec becomes the program itself. */
  #inside(child: ChildProcess): number {
    if (child.exitCode !== null || !child.pid) throw new Error("a server did not start");
    return child.pid;
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

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
