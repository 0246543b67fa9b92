import { setImmediate as turn } from "node:timers/promises";
import { formatHex, formatIpv4, parseMac } from "@frontdesk/lease-options/address";
import type { Update } from "../../src/ddns/dns-message.ts";
import type { Answer } from "../../src/ddns/update-exchange.ts";
import { openForReading } from "../../src/store/schema.ts";
import { DnsModel } from "./dns-model.ts";
import { Engines } from "./engine-node.ts";
import { NamedNode } from "./named-node.ts";
import { packets4Of } from "./packets4.ts";
import { randomOf } from "./random.ts";
import { loadRules } from "./rules.ts";
import { LEAD, type Setting, type Step } from "./steps.ts";
import { World } from "./world.ts";
import { macOf } from "./world-node.ts";

const ROLES = ["primary", "secondary"] as const;
/** Everything is in order again. */
const HEALED: readonly Step[] = [
  { do: "partition", isOn: false, r: 1 },
  { do: "reach", reach: "both", r: 1 },
  { do: "packets", lost: 0, late: 0, doubled: 0, r: 1 },
  ...ROLES.flatMap((node): Step[] => [
    { do: "resume", node, r: 1 },
    { do: "start", node, r: 1 },
  ]),
  { do: "lead", node: "both", lead: LEAD, r: 1 },
  { do: "reload", node: "both", plan: 0, r: 1 },
];
const HEALED_SECONDS = 40;
const MAX_HEALED_SECONDS = 300;
/** Longer than anything rests that has failed. */
const RESTING_MS = 61_000;
const RESTING_ROUNDS = 40;

export interface Story {
  /** DNS answers late, clients change their names, and people give names to devices. */
  readonly isUnsteady: boolean;
  /** Clients have the same names, and each its own by a suffix. */
  readonly isShared: boolean;
  /** DNS fails, refuses what is mended by a reload, and is silent whether it has made the change or not. */
  readonly isFailing?: boolean;
}

/** Two whole engines that bring names to one DNS server, and clients that have names. */
export class NamesWorld {
  readonly dns = new DnsModel();
  readonly #random;
  readonly #world: World;
  readonly #engines: Engines;
  readonly #nodes: readonly NamedNode[];
  readonly #hostnames = new Map<number, string>();
  readonly #setting: Setting;
  readonly #isUnsteady: boolean;
  #isHealed = false;
  #isFailing: boolean;
  #rested = 0;

  private constructor(
    rules: Awaited<ReturnType<typeof loadRules>>,
    setting: Setting,
    seed: number,
    { isUnsteady, isShared, isFailing = false }: Story,
  ) {
    this.#setting = setting;
    this.#random = randomOf(seed);
    this.#isUnsteady = isUnsteady;
    this.#isFailing = isFailing;
    const hostnameOf = (client: number) => `c${isShared ? client % 2 : client}`;
    this.#engines = new Engines(
      packets4Of((client) => this.#hostnames.get(client) ?? hostnameOf(client)),
      NamedNode,
    );
    let now = () => 0;
    NamedNode.parts = {
      collision: isShared ? "suffix" : "refuse",
      answer: async (update) => {
        await this.#late(now);
        const answered = this.#failed(update);
        if (answered) return answered;
        const rcode = this.dns.apply(update) as "NOERROR";
        await this.#late(now);
        return { kind: "answered", rcode };
      },
      monotonic: () => now() * 1000 + this.#rested,
    };
    this.#world = new World(rules, setting, { engines: this.#engines });
    now = () => this.#world.now;
    this.#nodes = ROLES.map((role) => this.#world.nodes[role] as NamedNode);
  }

  static async of(setting: Setting, seed: number, story: Story): Promise<NamesWorld> {
    return new NamesWorld(await loadRules(), setting, seed, story);
  }

  async #late(now: () => number): Promise<void> {
    if (!this.#isUnsteady || this.#isHealed || this.#random.chance(0.8)) return;
    for (const until = now() + 1 + this.#random.below(6); now() < until && !this.#isHealed; ) await turn();
  }

  #failed(update: Update): Answer | undefined {
    if (!this.#isFailing || this.#random.chance(0.75)) return undefined;
    if (this.#random.chance(0.5))
      return { kind: "answered", rcode: this.#random.chance(0.6) ? "SERVFAIL" : "REFUSED" };
    if (this.#random.chance(0.5)) this.dns.apply(update);
    return { kind: "silent" };
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.do !== "pass") this.#world.run(step);
      else
        for (let second = 0; second < step.seconds; second++) {
          this.#world.run({ ...step, seconds: 1, r: step.r + second });
          if (this.#isUnsteady) this.#rename();
          await this.#bring(4);
        }
    }
  }

  /** Puts everything in order, and lets DNS come to rest while nothing else happens. */
  async heal(): Promise<void> {
    this.#isFailing = false;
    for (const node of this.#nodes) {
      node.refusesUntil = 0;
      node.commitFault = undefined;
    }
    await this.run(HEALED);
    for (const { role: node, core } of this.#nodes)
      if (core?.state === "maintenance") await this.run([{ do: "resume command", node, r: 1 }]);
    for (let waited = 0; waited < HEALED_SECONDS || !this.#agree; waited++) {
      if (waited > MAX_HEALED_SECONDS) throw new Error("the nodes do not agree");
      await this.run([{ do: "pass", seconds: 1, r: 2 + waited }]);
    }
    this.#isHealed = true;
    for (let round = 0; round < RESTING_ROUNDS; round++) {
      this.#rested += RESTING_MS;
      await this.#bring(20);
    }
  }

  async #bring(turns: number): Promise<void> {
    for (const node of this.#nodes) if (this.#isHealed || this.#random.chance(0.7)) node.bringNames();
    for (let each = 0; each < turns; each++) await turn();
  }

  #rename(): void {
    const client = this.#random.below(this.#setting.clients);
    if (this.#random.chance(0.05))
      this.#hostnames.set(client, `c${client}${this.#random.pick(["", "x", "y"])}`);
    if (this.#isHealed || !this.#random.chance(0.05)) return;
    const node = this.#random.pick(this.#nodes);
    const address =
      node.status === "up" && this.leasesOf(node).find(({ mac }) => mac === macOf(client))?.address;
    const dnsName = this.#random.pick([null, `p${client}`, `q${client}`]);
    if (address) node.note(address, parseMac(macOf(client)) as Uint8Array, { dnsName });
  }

  /** Whether the two are together and nothing is on its way between them. */
  get #agree(): boolean {
    const [one, other] = this.#nodes.map((node) => JSON.stringify(this.leasesOf(node)));
    return one === other && this.#nodes.every(({ core }) => core?.state === "normal");
  }

  /** What the leases call for; of a client with two leases, either may have the name. */
  expected(): { readonly names: string[]; readonly isEither: (record: string) => boolean } {
    const leases = this.leasesOf(this.#nodes[0] as NamedNode);
    const isOnly = ({ mac }: { mac: string }) => leases.filter((other) => other.mac === mac).length === 1;
    const nameOf = ({ name, address }: { name: string; address: number }) =>
      `${name}.a.example ${formatIpv4(address)}`;
    const either = new Set(leases.filter((lease) => !isOnly(lease)).map(nameOf));
    return { names: leases.filter(isOnly).map(nameOf), isEither: (record) => either.has(record) };
  }

  leasesOf(
    node: NamedNode,
  ): Array<{ readonly address: number; readonly mac: string; readonly name: string }> {
    const database = openForReading(node.store.path);
    const rows = database
      .prepare(
        `SELECT ip, lease.mac, coalesce(dns_name, hostname) AS name FROM lease LEFT JOIN device ON device.mac = lease.mac
         WHERE state = 2 AND name IS NOT NULL ORDER BY ip`,
      )
      .all() as Array<{ ip: number; mac: Uint8Array; name: string }>;
    database.close();
    return rows.map(({ ip, mac, name }) => ({ address: ip, mac: formatHex(mac), name }));
  }

  close(): void {
    this.#engines.close();
  }
}
