import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Server, stop } from "./segment.ts";

export type LeaseKind = "address-only" | "prefix-only" | "address-and-prefix";

const NETWORK = "fd64::/64";
const POOL = "fd64::1:0:0:0 - fd64::ffff:ffff:ffff:ffff";
const PREFIXES = "fd65::/32";
const DELEGATED = 56;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Two hosts and a cable between them, for DHCPv6; gone with everything in them when it is closed. */
export class Segment6 {
  readonly folder = mkdtempSync(join(tmpdir(), "frontdesk-bench6-"));
  readonly #server = `fdb6${process.pid}s`;
  readonly #client = `fdb6${process.pid}c`;
  #nextClient = 1;

  async open(): Promise<void> {
    const ip = (...words: string[]) => execFileSync("ip", words, { encoding: "utf8" });
    ip("netns", "add", this.#server);
    ip("netns", "add", this.#client);
    const ends = ["type", "veth", "peer", "name", "c0", "netns", this.#client];
    ip("link", "add", "s0", "netns", this.#server, ...ends);
    for (const [host, device, address] of [
      [this.#server, "s0", "fd64::1"],
      [this.#client, "c0", "fd64::2"],
    ] as const) {
      ip("-n", host, "addr", "add", `${address}/64`, "dev", device, "nodad");
      ip("-n", host, "link", "set", device, "up");
      ip("-n", host, "link", "set", "lo", "up");
    }
    const isReady = (host: string, device: string) => {
      const shown = ip("-n", host, "-6", "addr", "show", "dev", device, "scope", "link");
      return shown.includes("inet6") && !shown.includes("tentative");
    };
    while (!isReady(this.#server, "s0") || !isReady(this.#client, "c0")) await delay(200);
  }

  close(): void {
    for (const host of [this.#server, this.#client]) {
      const pids = execFileSync("ip", ["netns", "pids", host], { encoding: "utf8" });
      for (const pid of pids.split("\n").filter(Boolean)) {
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

  async ours(home = "ours"): Promise<Server & { output: () => string }> {
    const folder = join(this.folder, home);
    mkdirSync(folder, { recursive: true });
    const config = join(folder, "engine.toml");
    writeFileSync(
      config,
      `[server]\ninterfaces = ["s0"]\n[dhcpv6]\nenabled = true\nvalid_time = 7200\npreferred_time = 3600\noptions = { dns_servers = ["fd64::1"], domain_search = ["example.org"] }\n[[subnet]]\nnetwork = "${NETWORK}"\n[[subnet.pool]]\nrange = "${POOL}"\n[[subnet.prefix_pool]]\nprefix = "${PREFIXES}"\ndelegated_length = ${DELEGATED}\n`,
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
    return { name: "ours", pid: pidOf(child), stop: () => stop(child), output };
  }

  async kea(threads: number): Promise<Server> {
    const folder = join(this.folder, `kea${threads}`);
    mkdirSync(folder, { recursive: true });
    const [prefix, length] = PREFIXES.split("/");
    const config = {
      Dhcp6: {
        "interfaces-config": { interfaces: ["s0"] },
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
        "server-id": { type: "LL", persist: false, htype: 1, identifier: "020000000001" },
        "valid-lifetime": 7200,
        "preferred-lifetime": 3600,
        "option-data": [
          { name: "dns-servers", data: "fd64::1" },
          { name: "domain-search", data: "example.org" },
        ],
        subnet6: [
          {
            id: 1,
            subnet: NETWORK,
            interface: "s0",
            pools: [{ pool: POOL }],
            "pd-pools": [{ prefix, "prefix-len": Number(length), "delegated-len": DELEGATED }],
          },
        ],
        loggers: [{ name: "kea-dhcp6", severity: "WARN", output_options: [{ output: "stdout" }] }],
      },
    };
    const path = join(folder, "kea.json");
    writeFileSync(path, JSON.stringify(config));
    const { child, output } = this.#start("kea-dhcp6", ["-c", path], {
      KEA_PIDFILE_DIR: folder,
      KEA_LOCKFILE_DIR: folder,
    });
    await delay(1500);
    if (child.exitCode !== null) throw new Error(output());
    const name = `Kea, ${threads} thread${threads > 1 ? "s" : ""}`;
    return { name, pid: pidOf(child), stop: () => stop(child) };
  }

  /** perfdhcp's four-way exchange with clients that no server has seen: how many began and ended. */
  perfdhcp(rate: number, seconds: number, kind: LeaseKind): { sent: number; done: number; lost: number } {
    const first = this.#nextClient;
    this.#nextClient += Math.ceil(rate * seconds * 1.5);
    const octets = [first >>> 24, (first >>> 16) & 255, (first >>> 8) & 255, first & 255];
    const mac = `02:0c:${octets.map((octet) => octet.toString(16).padStart(2, "0")).join(":")}`;
    const clients = String(Math.ceil(rate * seconds * 1.5));
    const words = [
      "-6",
      "-r",
      String(rate),
      "-R",
      clients,
      "-p",
      String(seconds),
      "-e",
      kind,
      "-b",
      `mac=${mac}`,
    ];
    let text = "";
    try {
      text = this.#inClient("perfdhcp", [...words, "-l", "c0"]);
    } catch (error) {
      // It ends with 3 when exchanges were lost; its account is the same.
      text = String((error as { stdout?: string }).stdout ?? "");
    }
    const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);
    const sent = number(/SOLICIT-ADVERTISE\*\*\*[\s\S]*?sent packets: (\d+)/);
    const done = number(/REQUEST-REPLY\*\*\*[\s\S]*?received packets: (\d+)/);
    return { sent, done, lost: 1 - done / sent };
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
}

/** ip netns exec becomes the program itself. */
function pidOf(child: ChildProcess): number {
  if (child.exitCode !== null || !child.pid) throw new Error("a server did not start");
  return child.pid;
}
