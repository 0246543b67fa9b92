import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Cable, perfdhcpSays, type Server } from "./cable.ts";
import type { Driven } from "./drive.ts";

const SERVER = "10.64.0.1";
const CLIENT = "10.64.0.2";
const POOL = ["10.65.0.1", "10.80.255.254"] as const;
/** Beside those that are counted, the ones that get an address to renew. */
const RENEWING_CLIENTS = 5000;

/** A cable with servers of DHCPv4 on one end, which all give the same pool, and clients on the other. */
export class Segment {
  readonly #cable = new Cable(`${SERVER}/10`, `${CLIENT}/10`);
  #nextClient = 1;

  get folder(): string {
    return this.#cable.folder;
  }

  close(): void {
    this.#cable.close();
  }

  ours(home = "ours", pool: readonly [string, string] = POOL) {
    const folder = join(this.folder, home);
    mkdirSync(folder, { recursive: true });
    const config = join(folder, "engine.toml");
    writeFileSync(
      config,
      `[server]\ninterfaces = ["s0"]\n[lease]\ndefault_time = 7200\n[[subnet]]\nnetwork = "10.64.0.0/10"\noptions = { routers = ["10.64.0.1"], domain_name_servers = ["10.64.0.1"], domain_name = "example.org" }\n[[subnet.pool]]\nrange = "${pool[0]} - ${pool[1]}"\n`,
    );
    return this.#cable.ours(folder, config);
  }

  kea(threads: number): Promise<Server> {
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
    const env = { KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder };
    const name = `Kea, ${threads} thread${threads > 1 ? "s" : ""}`;
    return this.#cable.server(name, "kea-dhcp4", ["-c", path], { env, wait: 1500 });
  }

  dnsmasq(): Promise<Server> {
    const leases = join(this.folder, "dnsmasq.leases");
    const words = [
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
    ];
    return this.#cable.server("dnsmasq", "dnsmasq", words, { wait: 800 });
  }

  /** perfdhcp's four-way exchange: how many ended, how many were lost. */
  perfdhcp(rate: number, seconds: number): { rate: number; sent: number; lost: number; unique: boolean } {
    const words = ["-4", "-r", rate, "-R", 1_000_000, "-p", seconds, "-u", "-l", "c0", SERVER];
    const text = this.#cable.inClient("perfdhcp", words.map(String));
    const sent = perfdhcpSays(text, "DISCOVER-OFFER", "sent");
    const acks = perfdhcpSays(text, "REQUEST-ACK", "received");
    const twice = [...text.matchAll(/non unique addresses: (\d+)/g)].some(([, n]) => n !== "0");
    const reached = Number(/Rate: ([\d.]+)/.exec(text)?.[1] ?? Number.NaN);
    return { rate: reached, sent, lost: 1 - acks / sent, unique: !twice };
  }

  /** Replies that reached the clients' host and found the reader's socket full. */
  overflown(): number {
    const [names = "", values = ""] = this.#cable
      .inClient("cat", ["/proc/net/snmp"])
      .split("\n")
      .filter((line) => line.startsWith("Udp:"));
    return Number(values.split(" ")[names.split(" ").indexOf("RcvbufErrors")]);
  }

  /** Our own generator, with clients that no server has seen. */
  generate(rate: number, seconds: number, kind: "new" | "renew" = "new"): Driven {
    const first = this.#nextClient;
    this.#nextClient += Math.ceil(rate * seconds) + RENEWING_CLIENTS;
    return this.#cable.generate(
      "./generator.ts",
      SERVER,
      CLIENT,
      rate,
      seconds,
      first,
      kind,
      RENEWING_CLIENTS,
    );
  }
}
