import type { Input } from "../../src/ha/core.ts";
import type { Core, Durable, Settings } from "../../src/ha/core-state.ts";
import { ownerOf, type Role } from "../../src/ha/ownership.ts";
import type { Pair } from "../../src/ha/pair.ts";
import type { Plan } from "../../src/ha/plan.ts";
import { isEnded, type Row } from "../../src/ha/row.ts";
import type { Outcome, Writes } from "../../src/ha/turn.ts";
import { type Address, FOREVER, STATE, timeIn } from "../../src/leases/binding.ts";
import { Disk, MemoryLedger, shiftedRows } from "./disk.ts";
import { NodeClock, type Pause } from "./node-clock.ts";
import type { Rules } from "./rules.ts";
import type { Reply, Request } from "./sim-client.ts";
import {
  type CommitFault,
  clientName,
  type Happening,
  type NodeWatcher,
  type WorldNode,
} from "./world-node.ts";

class Crash extends Error {}

const QUARANTINE = 40;
/** A third message within 30 seconds. */
const INSISTENT = 3;

/** A node: a process that may crash or stand still, its disk, its clock, and how it decides. */
export class SimNode implements WorldNode {
  readonly role: Role;
  readonly #rules: Rules;
  readonly #watcher: NodeWatcher;
  readonly #trueTime: () => number;
  readonly clock: NodeClock;
  #disk: Disk;
  settings: Settings;
  plan: Plan;
  status: "up" | "down" | "paused" = "down";
  /** When it last stopped, in true time. */
  stoppedAt = 0;
  commitFault: CommitFault | undefined;
  refusesUntil = 0;
  #pair: Pair | undefined;
  #ledger: MemoryLedger;
  #hasRebooted = false;
  #offers = new Map<number, number>();

  constructor(
    rules: Rules,
    settings: Settings,
    plan: Plan,
    watcher: NodeWatcher,
    trueTime: () => number,
    offset: number,
  ) {
    this.#rules = rules;
    this.role = settings.role;
    this.settings = settings;
    this.plan = plan;
    this.#watcher = watcher;
    this.#trueTime = trueTime;
    this.clock = new NodeClock(trueTime, offset, new rules.PairTime(settings.skew));
    this.#disk = new Disk(rules.newDurable(`store of ${settings.role}`, settings.lead));
    this.#ledger = new MemoryLedger(new Map());
  }

  get now(): number {
    return this.clock.moment().now;
  }

  get #shift(): number {
    return this.clock.moment().shift;
  }

  get disk(): { readonly durable: Durable; readonly rows: ReadonlyMap<unknown, Row> } {
    const { durable, rows } = this.#disk;
    return { durable, rows: shiftedRows(rows, -this.#shift) };
  }

  get core(): Core | undefined {
    return this.status === "down" ? undefined : this.#pair?.core;
  }

  get rows(): ReadonlyMap<unknown, Row> {
    return this.#rows;
  }

  get #rows(): ReadonlyMap<Address, Row> {
    return shiftedRows(this.#ledger.rows, -this.#shift);
  }

  start(): void {
    this.#ledger = new MemoryLedger(this.#disk.rows);
    this.#offers = new Map();
    if (this.#hasRebooted) this.clock.reboot(this.#disk.shift ?? 0);
    this.#hasRebooted = false;
    this.commitFault = undefined;
    this.status = "up";
    this.clock.begin(new this.#rules.PairTime(this.settings.skew, this.#disk.shift));
    const setBy = this.clock.step();
    const core = this.#rules.startCore(this.settings, this.#disk.durable, this.plan, this.now, setBy);
    this.#pair = new this.#rules.Pair(core, {
      openLedger: () => this.#ledger.open(() => this.plan.reserved, this.#shift),
      commit: (writes) => this.#commit(writes),
      send: (messages) => this.#watcher.sends(this, messages),
      closeLink: () => this.#watcher.closes(this),
    });
  }

  crash(): void {
    if (this.status === "down") return;
    if (this.status === "up") this.stoppedAt = this.#trueTime();
    else this.clock.resume();
    this.status = "down";
    this.#pair = undefined;
  }

  reboot(): void {
    this.#hasRebooted = true;
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
  }

  remember(): () => void {
    const copy = this.#disk.copy();
    return () => {
      this.#disk = copy.copy();
    };
  }

  loseDisk(store: string, epoch?: number): void {
    this.#disk = new Disk(this.#rules.newDurable(store, this.settings.lead, epoch));
  }

  leavePair(store: string): void {
    const { durable, rows, shift } = this.#disk;
    const unknown = [...rows].map(
      ([address, row]) => [address, { ...row, server: this.role, known: 0, seq: 0, base: 0 }] as const,
    );
    const left = this.#rules.newDurable(store, this.settings.lead, durable.epoch);
    this.#disk = new Disk(left, new Map(unknown), shift);
  }

  pairAnew(): void {}

  run(happening: Happening): Outcome | undefined {
    if (this.status !== "up" || !this.#pair) return undefined;
    const { durable } = this.#disk;
    try {
      const by = this.clock.step();
      if (by !== 0) this.#pair.run({ kind: "clock set", by, now: this.now });
      const seconds = this.clock.passed();
      if (seconds > 0) this.#pair.run({ kind: "time passed", seconds, now: this.now });
      const outcome = this.#pair.run({ ...happening, now: this.now } as Input);
      for (const conflict of outcome?.conflicts ?? []) this.#watcher.finds(conflict);
      if (this.commitFault === "crash after sending" && this.#disk.durable !== durable) throw new Crash();
      return outcome;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.crash();
      return undefined;
    }
  }

  #commit(writes: Writes): boolean {
    const fault = this.commitFault;
    if (this.#trueTime() < this.refusesUntil) return false;
    if (fault !== "crash after sending") this.commitFault = undefined;
    if (fault === "refused") return false;
    if (fault === "crash before") throw new Crash();
    const rows = writes.rows.map((row) => ({ ...row, end: timeIn(row.end, this.#shift) }));
    this.#disk.commit({ ...writes, rows }, this.#shift);
    if (fault === "crash after") throw new Crash();
    return true;
  }

  adopt(): boolean {
    return false;
  }

  lateReplies(): Reply[] {
    return [];
  }

  handleAll(requests: readonly Request[]): Reply[] {
    return requests.map((request) => this.handle(request)).filter((reply) => reply !== undefined);
  }

  /** Decides as the engine does, within the rights of the pair. */
  handle(request: Request): Reply | undefined {
    if (this.status !== "up" || !this.#pair) return undefined;
    // Time may have passed: a pause is noticed before anything is decided.
    const client = clientName(request.client);
    if (request.kind === "release" || request.kind === "decline") {
      this.#giveBack(request.kind, request.address, client);
      return undefined;
    }
    if (request.kind === "select" && request.server !== this.role) {
      this.#offers.delete(request.client);
      return undefined;
    }
    if (!this.#answers(request)) return undefined;
    if (request.kind === "discover") return this.#offer(request);
    if (request.kind === "select" && this.#offers.get(request.client) !== request.address) return undefined;
    return this.#grant(request, request.address) ?? this.#refuse(request, request.address);
  }

  #giveBack(kind: "release" | "decline", address: number, client: string): void {
    const { core } = this;
    const row = this.#rows.get(address);
    if (!core || !row || !this.#rules.mayGiveBack(core, row, client, this.now)) return;
    if (!this.#rules.answers(core, { ...ANYONE, isRenewal: true, names: "own" }, this.now)) return;
    const change =
      kind === "release"
        ? ({ kind, address } as const)
        : ({ kind, address, until: this.now + QUARANTINE } as const);
    this.run({ kind: "change", changes: [change] });
  }

  #answers(request: Request): boolean {
    const core = this.core as Core;
    const client = clientName(request.client);
    const rows = [...this.#rows.values()].filter((row) => row.client === client);
    const last = rows.find((row) => row.state === STATE.bound) ?? rows[0];
    const owner = last && ownerOf(core.durable.ownership, last.address).owner;
    return this.#rules.answers(
      core,
      {
        isRenewal: rows.some((row) => row.state === STATE.bound),
        names: request.kind === "select" || request.isUnicast ? "own" : undefined,
        hash: request.client,
        owner: owner && (owner === this.role ? "own" : "peer"),
        isInsistent: request.tries >= INSISTENT,
      },
      this.now,
    );
  }

  #offer(request: Request): Reply | undefined {
    const address = this.#choose(request);
    if (address === undefined) {
      this.run({ kind: "refused a client" });
      return undefined;
    }
    this.#offers.set(request.client, address);
    return { ...this.#reply(request), kind: "offer", address };
  }

  #choose(request: Request): number | undefined {
    const client = clientName(request.client);
    const own = [...this.#rows.values()].filter((row) => row.client === client);
    own.sort((a, b) => (a.state === STATE.bound ? -1 : b.state === STATE.bound ? 1 : 0));
    const reserved = [...this.plan.reserved]
      .filter(([, whose]) => whose === client)
      .map(([address]) => address);
    const pooled = this.plan.pools.flatMap(({ first, last }) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i),
    );
    const turned = request.client % Math.max(1, pooled.length);
    const candidates = [
      ...reserved,
      ...own.map(({ address }) => address),
      ...pooled.slice(turned),
      ...pooled.slice(0, turned),
    ].map(Number);
    return candidates.find((address) => this.#secondsFor(request, address) !== undefined);
  }

  /** How long a client may have an address; undefined when it may not. */
  #secondsFor({ client: number, wanted }: Request, address: number): number | undefined {
    const core = this.core as Core;
    const client = clientName(number);
    const row = this.#rows.get(address);
    const isItsOwn = row?.state === STATE.bound && row.client === client;
    const { now } = this;
    if (
      !isItsOwn &&
      this.#rules.mayBind(core, this.#ledger.open(undefined, this.#shift), address, client, now) === "no"
    ) {
      return undefined;
    }
    const latest = this.#rules.latestEnd(core, row, client, now);
    if (wanted === FOREVER && latest === FOREVER) return FOREVER;
    const seconds = Math.floor(Math.min(now + wanted, latest) - now);
    return seconds >= 1 ? seconds : undefined;
  }

  #grant(request: Request, address: number): Reply | undefined {
    const row = this.#rows.get(address);
    const client = clientName(request.client);
    if (row && isEnded(row) && row.client !== client && request.kind !== "select") return undefined;
    const seconds = this.#secondsFor(request, address);
    if (seconds === undefined) return undefined;
    const told = seconds === FOREVER ? FOREVER : this.now + seconds;
    const { wanted } = request;
    const reply = this.#reply(request);
    const outcome = this.run({ kind: "change", changes: [{ kind: "bind", address, client, told, wanted }] });
    if (!outcome) return undefined;
    this.#watcher.tells(this, client, address, told);
    this.#offers.delete(request.client);
    return { ...reply, kind: "ack", address, seconds };
  }

  #refuse(request: Request, address: number): Reply | undefined {
    const core = this.core;
    const row = this.#rows.get(address);
    if (!core || row?.client === clientName(request.client)) return undefined;
    if (!this.#rules.mayNak(core, address)) return undefined;
    return { ...this.#reply(request), kind: "nak", address };
  }

  #reply({ client, xid }: Request) {
    return { client, xid, from: this.role, decidedAt: this.#trueTime() };
  }
}

const ANYONE = { isRenewal: false, names: undefined, hash: 0, owner: undefined, isInsistent: false };
