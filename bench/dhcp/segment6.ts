import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Cable, perfdhcpSays, type Server } from "./cable.ts";
import type { Driven } from "./drive.ts";

export type LeaseKind = "address-only" | "prefix-only" | "address-and-prefix";

const NETWORK = "fd64::/64";
const POOL = "fd64::1:0:0:0 - fd64::ffff:ffff:ffff:ffff";
const PREFIXES = "fd65::/32";
const DELEGATED = 56;
/** Beside those that are counted, the ones that get a lease to renew. */
const RENEWING_CLIENTS = 5000;

/** A cable with servers of DHCPv6 on one end, which all give the same pools, and clients on the other. */
export class Segment6 {
  readonly #cable = new Cable("fd64::1/64", "fd64::2/64");
  #nextClient = 1;

  get folder(): string {
    return this.#cable.folder;
  }

  open(): Promise<void> {
    return this.#cable.linkLocal();
  }

  close(): void {
    this.#cable.close();
  }

  ours(home = "ours") {
    const folder = join(this.folder, home);
    mkdirSync(folder, { recursive: true });
    const config = join(folder, "engine.toml");
    writeFileSync(
      config,
      `[server]\ninterfaces = ["s0"]\n[dhcpv6]\nenabled = true\nnew_leases_per_hour = 0\nvalid_time = 7200\npreferred_time = 3600\noptions = { dns_servers = ["fd64::1"], domain_search = ["example.org"] }\n[[subnet]]\nnetwork = "${NETWORK}"\n[[subnet.pool]]\nrange = "${POOL}"\n[[subnet.prefix_pool]]\nprefix = "${PREFIXES}"\ndelegated_length = ${DELEGATED}\n`,
    );
    return this.#cable.ours(folder, config);
  }

  kea(threads: number): Promise<Server> {
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
    const env = { KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder };
    const name = `Kea, ${threads} thread${threads > 1 ? "s" : ""}`;
    return this.#cable.server(name, "kea-dhcp6", ["-c", path], { env, wait: 1500 });
  }

  /** perfdhcp's four-way exchange with clients that no server has seen: how many began and ended. */
  perfdhcp(rate: number, seconds: number, kind: LeaseKind): { sent: number; done: number; lost: number } {
    const clients = Math.ceil(rate * seconds * 1.5);
    const mac = `02:0c:${octets(this.#newClients(clients)).join(":")}`;
    const words = [
      "-6",
      "-r",
      rate,
      "-R",
      clients,
      "-p",
      seconds,
      "-e",
      kind,
      "-b",
      `mac=${mac}`,
      "-l",
      "c0",
    ];
    const text = this.#cable.inClient("perfdhcp", words.map(String));
    const sent = perfdhcpSays(text, "SOLICIT-ADVERTISE", "sent");
    const done = perfdhcpSays(text, "REQUEST-REPLY", "received");
    return { sent, done, lost: 1 - done / sent };
  }

  /** Our own generator, with clients that no server has seen. */
  generate(rate: number, seconds: number, asks: LeaseKind, kind: "new" | "renew" = "new"): Driven {
    const first = this.#newClients(Math.ceil(rate * seconds) + RENEWING_CLIENTS);
    return this.#cable.generate("./generator6.ts", "c0", rate, seconds, first, kind, asks, RENEWING_CLIENTS);
  }

  #newClients(count: number): number {
    const first = this.#nextClient;
    this.#nextClient += count;
    return first;
  }
}

const octets = (number: number) =>
  [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255].map((octet) =>
    octet.toString(16).padStart(2, "0"),
  );
