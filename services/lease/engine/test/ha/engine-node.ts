import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Config } from "@frontdesk/lease-config/config";
import { readConfig } from "@frontdesk/lease-config/validate";
import { EVENT_TYPES } from "@frontdesk/lease-control-api/event-types";
import { formatHex, ipv6Bytes, parseMac } from "@frontdesk/lease-options/address";
import { COUNTERS } from "../../src/counter-names.ts";
import { Dhcp4 } from "../../src/dhcp4/dhcp4.ts";
import type { Explanation } from "../../src/dhcp4/explain.ts";
import type { Dhcp6 } from "../../src/dhcp6/dhcp6.ts";
import { type Core, type Durable, newDurable, type Settings } from "../../src/ha/core-state.ts";
import type { LinkEvent } from "../../src/ha/link.ts";
import type { Role } from "../../src/ha/ownership.ts";
import { type PairMoment, PairTime } from "../../src/ha/pair-time.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { Row } from "../../src/ha/row.ts";
import { FOREVER } from "../../src/leases/binding.ts";
import type { ForeignLease } from "../../src/leases/lease-record.ts";
import { Counters } from "../../src/loop/counters.ts";
import { Engine } from "../../src/loop/engine.ts";
import { EngineClock } from "../../src/loop/engine-clock.ts";
import type { PairNode } from "../../src/loop/pair-node.ts";
import type { Standing } from "../../src/loop/pair-standing.ts";
import type { AnyDatagram, AnyOutgoing } from "../../src/loop/wire.ts";
import { noteDevice } from "../../src/note-device.ts";
import { composePair, dhcp6Of } from "../../src/pair.ts";
import { pairPlanOf } from "../../src/pair-plan.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { NodeClock, type Pause } from "./node-clock.ts";
import { type Packets, type Said, wireXid } from "./packets.ts";
import { packets4, SERVERS } from "./packets4.ts";
import { DUIDS, packets6 } from "./packets6.ts";
import type { Reply, Request } from "./sim-client.ts";
import { rowsOf } from "./stored-rows.ts";
import type { MakeNode } from "./world.ts";
import {
  type CommitFault,
  clientName,
  type Happening,
  macIn,
  macOf,
  type NodeWatcher,
  type WorldNode,
} from "./world-node.ts";

class Crash extends Error {}

/** A folder without a disk behind it: a commit is not to take longer than it must. */
const MEMORY = "/dev/shm";
const QUARANTINE = 40;

/** The engines of one run, and the folder of their stores. */
export class Engines {
  readonly #folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "pair-"));
  readonly #nodes: EngineNode[] = [];
  #count = 0;
  readonly #packets: Packets;
  readonly #Node: typeof EngineNode;

  /** Whether clients count their time from the reply. */
  readonly countsFromReply: boolean;

  /** Of one family, or with packets of another making. */
  constructor(packets: 4 | 6 | Packets, Node: typeof EngineNode = EngineNode) {
    this.#Node = Node;
    this.#packets = packets === 4 ? packets4 : packets === 6 ? packets6 : packets;
    this.countsFromReply = this.#packets === packets6;
  }

  readonly make: MakeNode = (...parts) => {
    const node = new this.#Node(this.#packets, () => this.#nextStore(), ...parts);
    this.#nodes.push(node);
    return node;
  };

  close(): void {
    for (const node of this.#nodes) node.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #nextStore(): string {
    return join(this.#folder, `${++this.#count}.db`);
  }
}

/** A whole engine: real decisions, table and store, with a clock and wires that the world has in its hands. */
export class EngineNode implements WorldNode {
  readonly role: Role;
  readonly #watcher: NodeWatcher;
  readonly #trueTime: () => number;
  readonly #nextStore: () => string;
  readonly #packets: Packets;
  settings: Settings;
  plan: Plan;
  status: "up" | "down" | "paused" = "down";
  stoppedAt = 0;
  readonly clock: NodeClock;
  commitFault: CommitFault | undefined;
  refusesUntil = 0;
  #path: string;
  #store: SqliteStore | undefined;
  #engineClock: EngineClock | undefined;
  #engine: Engine | undefined;
  #dhcp4: Dhcp4 | undefined;
  #dhcp6: Dhcp6 | undefined;
  #pair: PairNode | undefined;
  #isCrashing = false;
  /** Packets whose commit has stalled, and when it began. */
  #stalled: { readonly requests: readonly Request[]; readonly at: number } | undefined;
  /** The time before the commit that has stalled. */
  #timeBefore: number | undefined;
  #late: Reply[] = [];
  #commits = 0;
  #boots = 0;
  readonly #events: LinkEvent[] = [];
  readonly #sent: AnyOutgoing[] = [];
  #disk:
    | {
        readonly at: number;
        readonly shift: number;
        readonly durable: Durable;
        readonly rows: ReadonlyMap<unknown, Row>;
      }
    | undefined;
  /** What the engine logs as an error. */
  readonly errors: object[] = [];
  readonly warnings: string[] = [];
  /** What this node's configuration says otherwise. */
  edit = (toml: string): string => toml;

  constructor(
    packets: Packets,
    nextStore: () => string,
    settings: Settings,
    plan: Plan,
    watcher: NodeWatcher,
    trueTime: () => number,
    offset: number,
  ) {
    this.clock = new NodeClock(() => this.#timeBefore ?? trueTime(), offset, new PairTime(settings.skew));
    this.role = settings.role;
    this.settings = settings;
    this.plan = plan;
    this.#watcher = watcher;
    this.#trueTime = trueTime;
    this.#packets = packets;
    this.#nextStore = nextStore;
    this.#path = nextStore();
  }

  get now(): number {
    return this.#moment.now;
  }

  get #moment(): PairMoment {
    return this.clock.moment(this.#engineClock && this.#engineClock.now() / 1000);
  }

  get core(): Core | undefined {
    return this.status === "down" ? undefined : this.#pair?.core;
  }

  get rows(): ReadonlyMap<unknown, Row> {
    return this.disk.rows;
  }

  get disk(): { readonly durable: Durable; readonly rows: ReadonlyMap<unknown, Row> } {
    const { shift } = this.#moment;
    if (this.#disk?.at === this.#commits && this.#disk.shift === shift) return this.#disk;
    const store = this.#openStore();
    const durable = store.pair.durable() ?? newDurable("", this.settings.lead, store.pair.epoch);
    this.#disk = { at: this.#commits, shift, durable, rows: rowsOf(store, this.role, shift) };
    return this.#disk;
  }

  get store(): SqliteStore {
    return this.#openStore();
  }

  /** The configuration of its plan. */
  get config(): Config {
    return this.#configOf(this.plan);
  }

  /** When the client of an address was last heard of, by what this node keeps. */
  seen(address: number): number {
    const database = new DatabaseSync(this.#path, { readOnly: true });
    const row = database.prepare("SELECT seen FROM lease WHERE ip = ?").get(address) as { seen: number };
    database.close();
    return row.seen;
  }

  /** What the history tells of an address, the oldest first: type, hardware address, reason. */
  history(address: number): Array<[type: string, mac: string, reason: string | null]> {
    const database = new DatabaseSync(this.#path, { readOnly: true });
    const events = database
      .prepare("SELECT type, mac, reason FROM event WHERE ip = ? OR ip6 = ? ORDER BY id")
      .all(address, ipv6Bytes(BigInt(address))) as Array<{
      type: number;
      mac: Uint8Array;
      reason: string | null;
    }>;
    database.close();
    return events.map(({ type, mac, reason }) => [EVENT_TYPES[type] as string, formatHex(mac), reason]);
  }

  start(): void {
    const store = this.#openStore();
    const sources = {
      wall: () => this.clock.wall * 1000,
      monotonic: () => this.clock.monotonic * 1000,
      uptime: () => this.clock.uptime * 1000,
      bootId: `machine of the ${this.role}, start ${this.#boots}`,
    };
    const clock = new EngineClock(sources, store.clock());
    this.#engineClock = clock;
    this.clock.begin(new PairTime(this.settings.skew));
    const counters = new Counters(COUNTERS);
    const log = {
      info: () => {},
      warn: (_: object, message: string) => void this.warnings.push(message),
      error: (details: object, message: string) => void this.errors.push({ message, ...details }),
    };
    const server = SERVERS[this.role];
    const wire = {
      send: (batch: readonly AnyOutgoing[]) => {
        for (const each of batch) this.#sent.push({ ...each, bytes: each.bytes.slice() } as AnyOutgoing);
      },
      probe: () => {},
      isOurs: (address: number) => address === server,
      ownAddresses: () => [server],
      towards: () => undefined,
      ownAddresses6: () => [],
      through: (interfaceName: string) => ({ ...NOBODYS, interfaceName }),
    };
    const config = this.#configOf(this.plan);
    const parts = { clock, store, counters, log, wire };
    const begun = { ...parts, config, version: "v1", random: (size: number) => new Uint8Array(size).fill(7) };
    this.#dhcp4 = new Dhcp4(begun);
    const dhcp6 = dhcp6Of(begun, true);
    this.#dhcp6 = dhcp6.kept;
    this.#isCrashing = false;
    this.#events.length = 0;
    this.commitFault = undefined;
    this.status = "up";
    this.#pair = composePair({
      settings: this.settings,
      config,
      service: "",
      store,
      dhcp4: this.#dhcp4,
      dhcp6: this.#dhcp6,
      clock,
      log,
      link: {
        take: () => this.#events.shift(),
        send: (_, messages) => {
          if (this.status === "up") this.#watcher.sends(this, messages);
        },
        close: () => this.#watcher.closes(this),
        isCongested: false,
      },
      onConflict: ({ address, kept, lost }) =>
        this.#watcher.finds({ address, kept: worldName(kept), lost: worldName(lost) }),
    });
    this.#engine = new Engine({ ...parts, pair: this.#pair }, this.#dhcp4, dhcp6.served);
  }

  crash(): void {
    if (this.status === "down") return;
    if (this.status === "up") this.stoppedAt = this.#trueTime();
    else this.clock.resume();
    this.status = "down";
    this.#engine = undefined;
    this.#pair = undefined;
    this.#stalled = undefined;
    this.#late = [];
  }

  reboot(): void {
    this.#boots++;
  }

  pause(how: Pause = "process"): void {
    if (this.status !== "up") return;
    this.status = "paused";
    this.clock.pause(how);
    this.stoppedAt = this.#trueTime();
  }

  resume(): void {
    if (this.status !== "paused") return;
    this.status = "up";
    this.clock.resume();
    this.#endStall();
  }

  /** What was decided before the commit that has stalled goes on after it. */
  #endStall(): void {
    if (!this.#stalled) return;
    const { requests, at } = this.#stalled;
    this.#stalled = undefined;
    this.#timeBefore = at;
    const commits = this.#commits;
    const replies = this.handleAll(requests);
    this.#timeBefore = undefined;
    if (this.#commits !== commits) this.#late = replies;
  }

  lateReplies(): Reply[] {
    const late = this.#late;
    this.#late = [];
    return this.status === "up" ? late : [];
  }

  remember(): () => void {
    const copy = this.#nextStore();
    copyStore(this.#path, copy);
    return () => {
      const path = this.#nextStore();
      copyStore(copy, path);
      this.#replaceStore(path);
    };
  }

  loseDisk(_ = "", epoch = 0): void {
    this.#replaceStore(this.#nextStore());
    if (epoch === 0) return;
    this.#openStore().pair.writeDurable(newDurable("a disk of another pair", this.settings.lead, epoch));
    this.forgetPair();
  }

  /** As a server is that ran without its peer: it has its leases, and nothing of the pair. */
  forgetPair(): void {
    this.#openStore().leavePair();
    this.#commits++;
  }

  leavePair(): void {
    this.forgetPair();
  }

  get standing(): Standing | undefined {
    return this.#engineClock && this.#pair?.standing(this.#engineClock.now());
  }

  /**
   * As a node is that is paired anew: what still counts of the pair that it was in, it keeps. Where it cannot tell, the
   * operator has it take over.
   */
  pairAnew(): void {
    if (this.standing === "unclear")
      this.run({ kind: "command", command: { name: "partner-down", force: true } });
    if (this.standing !== "over") return;
    this.crash();
    this.forgetPair();
    this.start();
  }

  close(): void {
    this.crash();
    this.#store?.close();
    this.#store = undefined;
  }

  run(happening: Happening): void {
    this.#whileUp(({ engine, pair }) => {
      if (happening.kind === "link") {
        this.#events.push({ kind: happening.isUp ? "up" : "down", id: happening.id });
        engine.receive();
      } else if (happening.kind === "message") {
        this.#events.push(happening);
        engine.receive();
      } else if (happening.kind === "tick") engine.tick();
      else if (happening.kind === "command") {
        engine.run(() => pair.command(happening.command));
      } else if (happening.kind === "plan") {
        const config = this.#configOf(happening.plan);
        this.#dhcp4?.reload(config, "v2");
        this.#dhcp6?.reload(config, "v2");
        pair.plan = pairPlanOf(config);
        engine.run(() => {});
      }
    });
  }

  handle(request: Request): Reply | undefined {
    return this.handleAll([request])[0];
  }

  handleAll(requests: readonly Request[]): Reply[] {
    const isGiving = requests.some(({ kind }) => kind === "select" || kind === "renew");
    if (this.commitFault === "stalls" && isGiving && this.status === "up") {
      this.commitFault = undefined;
      this.#stalled = { requests, at: this.#trueTime() };
      this.pause();
      return [];
    }
    this.#sent.length = 0;
    const decidedAt = this.#timeBefore ?? this.#trueTime();
    this.#whileUp(({ engine }) =>
      engine.handle(requests.map((request) => this.#packets.datagram(request, this.role))),
    );
    const sent = this.#sent.splice(0);
    if (this.status !== "up") return [];
    return sent.flatMap((outgoing) => {
      const xid = this.#packets.xidOf(outgoing);
      // A copy of a DISCOVER may come with the REQUEST that follows it.
      const said = requests
        .filter((request) => wireXid(request) === xid)
        .map((request) => ({ request, said: this.#packets.replyOf(outgoing, request) }))
        .find((each) => (each.request.kind === "discover") === (each.said?.kind === "offer"));
      return said?.said ? [this.#told(said.request, said.said, decidedAt)] : [];
    });
  }

  #told({ client, xid }: Request, said: Said, decidedAt: number): Reply {
    if (said.kind === "ack") {
      const known = this.disk.rows.get(said.address)?.client ?? "";
      const { now, engine } = this.#moment;
      const end = said.seconds === FOREVER ? FOREVER : now - engine + Math.floor(engine) + said.seconds;
      this.#watcher.tells(this, known, said.address, end);
    }
    return { client, xid, from: this.role, decidedAt, ...said } as Reply;
  }

  /** What packets lead to that the model clients do not send; those of one call are in one batch. */
  receive(...datagrams: AnyDatagram[]): AnyOutgoing[] {
    this.#sent.length = 0;
    this.#whileUp(({ engine }) => engine.handle(datagrams));
    return this.#sent.splice(0);
  }

  get pairStatus(): ReturnType<PairNode["status"]> {
    const [engine, pair] = [this.#engine as Engine, this.#pair as PairNode];
    return engine.rehearse((batch) => pair.status(batch));
  }

  /** What would become of a client that asks through a relay, and why. */
  explain(mac: Uint8Array, giaddr: number): Explanation | undefined {
    const query = { mac, giaddr, options: new Map() };
    return this.#engine?.rehearse((batch) => this.#dhcp4?.explain(query, batch));
  }

  /** The same of DHCPv6, on its link. */
  explain6(duid: Uint8Array): Explanation | undefined {
    const query = { duid, mac: undefined, link: 0n, prefix: false };
    return this.#engine?.rehearse((batch) => this.#dhcp6?.explain(query, batch));
  }

  /** Somebody says something of the device that has an address. */
  note(address: number, mac: Uint8Array, said: { note?: string | null; dnsName?: string | null }): void {
    const store = this.#openStore();
    this.#whileUp(({ engine, pair }) => {
      engine.run((batch) => noteDevice({ store, pair }, batch, { address, mac }, said));
    });
  }

  /** What is said of a device, by what is on disk. */
  noted(mac: Uint8Array): [note: string | null | undefined, dnsName: string | null | undefined] {
    const { note, dnsName } = this.#openStore().note(mac) ?? {};
    return [note, dnsName];
  }

  /** What the engine sends of its own, until now and with this tick. */
  tick(): AnyOutgoing[] {
    this.run({ kind: "tick" });
    return this.#sent.splice(0);
  }

  /** RECONFIGURE, at the next tick. */
  reconfigure(address: bigint): string | undefined {
    return this.#dhcp6?.reconfigure(address);
  }

  /** Why a lease of another server is not taken over; the last answer where one request names it several times. */
  import(lease: ForeignLease, times = 1): ReturnType<Dhcp4["import"]> {
    let refusal: ReturnType<Dhcp4["import"]>;
    this.#whileUp(({ engine }) => {
      engine.run((batch) => {
        for (let i = 0; i < times; i++) refusal = this.#dhcp4?.import(lease, batch);
      });
    });
    return refusal;
  }

  adopt(client: number, address: number, seconds: number): boolean {
    const mac = parseMac(macOf(client)) as Uint8Array;
    const until = Math.floor(this.clock.wall) + seconds;
    const lease = { ip: address, mac, clientId: null, hostname: null, until };
    return this.status === "up" && this.import(lease) === undefined && this.status === "up";
  }

  /** A configuration that says what a plan of the world says. */
  #configOf(plan: Plan): Config {
    const text = [
      '[server]\ninterfaces = ["eth0"]\nbootp = true',
      `[lease]\ndefault_time = 60\nmin_time = 1\nmax_time = ${FOREVER}\noffer_time = 10\ndecline_quarantine = ${QUARANTINE}`,
      this.#packets.config(plan),
    ].join("\n");
    return readConfig(this.edit(text));
  }

  #whileUp(act: (parts: { readonly engine: Engine; readonly pair: PairNode }) => void): void {
    const [engine, pair] = [this.#engine, this.#pair];
    if (this.status !== "up" || !engine || !pair) return;
    const commits = this.#commits;
    act({ engine, pair });
    const isAfterSending = this.commitFault === "crash after sending" && this.#commits !== commits;
    if (this.#isCrashing || isAfterSending) this.crash();
    if (this.errors.some((error) => !("err" in error) || !isExpected(error.err))) {
      throw new Error(`the ${this.role} logged an error`, { cause: this.errors });
    }
  }

  #openStore(): SqliteStore {
    if (this.#store) return this.#store;
    const store = new SqliteStore(this.#path);
    // The same in each run, so that clients get the same addresses.
    store.serverIdentity = () => ({ duid: DUIDS[this.role], secret: SECRETS[this.role] });
    const commit = store.commit.bind(store);
    store.commit = (what) => {
      const fault = this.commitFault;
      if (this.#isCrashing) throw new Crash();
      if (this.#trueTime() < this.refusesUntil) throw new Refusal();
      if (fault !== "crash after sending" && fault !== "stalls") this.commitFault = undefined;
      if (fault === "refused") throw new Refusal();
      if (fault === "crash before") this.#isCrashing = true;
      if (fault === "crash before") throw new Crash();
      commit(what);
      this.#commits++;
      this.#timeBefore = undefined;
      if (fault === "crash after") this.#isCrashing = true;
      if (fault === "crash after") throw new Crash();
    };
    const tryWriting = store.tryWriting.bind(store);
    store.tryWriting = () => {
      if (this.#trueTime() < this.refusesUntil) throw new Refusal();
      tryWriting();
    };
    this.#store = store;
    return store;
  }

  #replaceStore(path: string): void {
    this.#store?.close();
    this.#store = undefined;
    this.#path = path;
    this.#commits++;
  }
}

const SECRETS = { primary: new Uint8Array(32), secondary: new Uint8Array(32).fill(2) } as const;
const NOBODYS = { addresses: [], sourceAddress: 0n, sourcePort: 546, unicast: false, lab: false };

class Refusal extends Error {}

const isExpected = (error: unknown) => error instanceof Crash || error instanceof Refusal;

function copyStore(from: string, to: string): void {
  const database = new DatabaseSync(from);
  database.exec(`VACUUM INTO '${to}'`);
  database.close();
}

/** Clients are known to the world by their hardware addresses, whatever the protocol knows them by. */
const worldName = (client: string) => clientName(0).slice(0, 4) + macIn(client).replaceAll(":", "");
