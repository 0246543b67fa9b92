import { ChangeQueue } from "../ha/change-queue.ts";
import type { Command } from "../ha/commands.ts";
import { type Core, type Durable, type Settings, startCore } from "../ha/core-state.ts";
import { countsOf } from "../ha/giving.ts";
import type { LinkEvent, LinkPort } from "../ha/link.ts";
import type { Message, SentRow } from "../ha/messages.ts";
import { Malformed } from "../ha/octets.ts";
import type { AddressRange, Role } from "../ha/ownership.ts";
import { type PairMoment, PairTime } from "../ha/pair-time.ts";
import type { Plan } from "../ha/plan.ts";
import { type Refusal, refusalText } from "../ha/refusal.ts";
import { isEnded, type Row } from "../ha/row.ts";
import { hasToSend } from "../ha/sending.ts";
import { serverOf } from "../ha/server-names.ts";
import { type HaPool, type HaStatus, statusOf } from "../ha/status.ts";
import type { Conflict, Outcome } from "../ha/turn.ts";
import { type Address, STATE, timeIn } from "../leases/binding.ts";
import type { DeviceNote } from "../leases/lease-record.ts";
import type { Batch } from "./batch.ts";
import { Insistence } from "./insistence.ts";
import { PairBatch } from "./pair-batch.ts";
import { type Devices, messageOf, PairDevices } from "./pair-devices.ts";
import { framesOf } from "./pair-frames.ts";
import { type Families, nameOf, PairLedger } from "./pair-ledger.ts";
import { PairRecord } from "./pair-record.ts";
import { type Standing, standingOf } from "./pair-standing.ts";
import type { PairedFamily, ReceivedLease } from "./paired-family.ts";

/** Rows and devices of the peer, and milliseconds, that one batch spends on what came over the link. */
const MAX_RECEIVED_ROWS = 2000;
const MAX_RECEIVING_MS = 20;
const TICK_MS = 1000;
/** The core is told at least so often that time has passed: it takes a longer gap for a pause. */
const MAX_QUIET_SECONDS = 0.5;
const NOTHING = new Uint8Array(0);
/** Leases of before that are told of in one batch. */
const MAX_CLEARED = 200;
/** Ended leases without an acknowledgement that a status counts. */
const MAX_AWAITING = 8192;

type PoolCounts = Pick<HaPool, "ownFree" | "peerFree" | "awaiting">;

export interface PairParts {
  readonly settings: Settings;
  readonly durable: Durable;
  readonly plan: Plan;
  readonly families: Families;
  readonly link: LinkPort;
  readonly log: Record<"info" | "warn", (details: object, message: string) => void>;
  readonly devices: Devices;
  /** Whether there are leases from before this node began anew with those of its peer. */
  readonly hasCleared: () => boolean;
  /** Milliseconds of engine time minus wall time, as they are on disk. */
  readonly keptOffset: number;
  /** Milliseconds of the wall clock. */
  readonly utc: () => number;
  /** The peer's replay detection has come so far. */
  readonly raiseReplay: (to: number) => void;
  /** Milliseconds of a clock that only measures. */
  readonly elapsed: () => number;
  /** Two clients were given one address. */
  readonly onConflict: (conflict: Conflict) => void;
}

/**
 * One of a pair of servers, within the engine: what comes over the link and what a batch decides go through the core,
 * and are written in the transaction of the batch. The link is given nothing before that is on disk.
 */
export class PairNode {
  readonly #parts: PairParts;
  readonly #queue = new ChangeQueue();
  readonly #insistence = new Insistence();
  readonly #devices: PairDevices;
  readonly #time: PairTime;
  #core: Core;
  /** The state of the pair that needs not be written; undefined where another than that of the core is on disk. */
  #kept: Durable | undefined;
  #plan: Plan;
  #servers: readonly string[];
  #serving = true;
  #tickedAt = Number.NEGATIVE_INFINITY;
  /** Seconds of the engine's time since the core was last told of it. */
  #passed = 0;
  /** Seconds by which the clock was set since then. */
  #setBy = 0;
  /** Taken from the link, and for the next batch. */
  #next: LinkEvent | undefined;
  #open: PairBatch | undefined;
  /** What the families were last told of the peer. */
  #met: readonly string[] = [];
  readonly #record: PairRecord;

  /** `engineNow`: milliseconds of the engine's clock. */
  constructor(parts: PairParts, engineNow: number) {
    this.#parts = parts;
    this.#time = new PairTime(parts.settings.skew, parts.keptOffset / 1000);
    const moment = this.#moment(engineNow);
    const { now, shift } = moment;
    this.#plan = parts.plan;
    this.#servers = parts.settings.servers;
    this.#devices = new PairDevices(parts.devices);
    const { families, settings, durable, plan } = parts;
    for (const family of Object.values(families) as Array<PairedFamily<Address> | undefined>) {
      if (family) load(family, settings.role, shift);
    }
    const setBy = this.#time.stepAt(moment);
    this.#core = startCore(settings, durable, plan, now, setBy);
    // The first batch writes how the clock is now, and so the times that were moved with it.
    this.#kept = setBy === 0 ? this.#core.durable : undefined;
    this.#record = new PairRecord(now);
    for (const entry of unacknowledged(families, durable.ackedSeq)) this.#queue.add({ ...entry, at: now });
    this.#meet(durable.peerServers);
  }

  get core(): Core {
    return this.#core;
  }

  #moment(engineNow: number): PairMoment {
    return this.#time.at(this.#parts.utc() / 1000, engineNow / 1000);
  }

  /** The state of the pair. */
  status(
    batch: Batch,
  ): Omit<HaStatus, "pools"> & { readonly pools: ReadonlyArray<AddressRange & PoolCounts> } {
    const moment = this.#moment(batch.nowMs);
    const { now } = moment;
    const core = this.#core;
    const facts = {
      ...this.#record.facts,
      unacked: this.#queue.length,
      oldestUnackedAt: this.#queue.oldest?.at,
    };
    const ledger = this.#ledger(batch, moment);
    const waiting = ledger
      .changedAfter(core.ackedSeq, MAX_AWAITING)
      .filter(isEnded)
      .map(({ address }) => address);
    const pools = core.plan.pools.map((pool) => {
      const { own, peer } = countsOf({ core, durable: core.durable, ledger, now }, pool);
      const awaiting = waiting.filter((each) => each >= pool.first && each <= pool.last).length;
      return { ...pool, ownFree: own, peerFree: peer, awaiting };
    });
    return { ...statusOf(core, facts, now), pools };
  }

  /** Another configuration is in force. */
  set plan(plan: Plan) {
    this.#plan = plan;
  }

  /** What this node is known by. */
  set servers(servers: readonly string[]) {
    this.#servers = servers;
  }

  /** Whether leases can be written and clients be reached. */
  set serving(serving: boolean) {
    this.#serving = serving;
  }

  /** Whether something waits that is to be done now. */
  get isWaiting(): boolean {
    this.#next ??= this.#parts.link.take();
    return this.#next !== undefined || (hasToSend(this.#core) && !this.#parts.link.isCongested);
  }

  /** A batch begins: time that has passed and messages of the peer come before what it decides. */
  open(batch: Batch): PairBatch {
    const moment = this.#moment(batch.nowMs);
    const { now } = moment;
    const ledger = this.#ledger(batch, moment);
    const isInsistent = (identity: Uint8Array) => this.#insistence.asks(nameOf(identity), now);
    const open = new PairBatch(this.#core, ledger, moment, isInsistent);
    this.#open = open;
    batch.failover = open;
    // First of all: until kept times have been moved with the clock, those of before it look like times to come.
    this.#setBy += this.#time.stepAt(moment);
    if (this.#setBy !== 0) open.step({ kind: "clock set", by: this.#setBy, now });
    this.#passed += this.#time.passedAt(moment);
    if (this.#passed >= MAX_QUIET_SECONDS) open.step({ kind: "time passed", seconds: this.#passed, now });
    if (this.#plan !== this.#core.plan) open.step({ kind: "plan", plan: this.#plan, now });
    if (this.#servers !== this.#core.settings.servers)
      open.step({ kind: "servers", servers: this.#servers, now });
    if (this.#serving !== this.#core.serving) open.step({ kind: "serving", serving: this.#serving, now });
    const { isCongested } = this.#parts.link;
    if (isCongested !== this.#core.isCongested) open.step({ kind: "congested", isCongested, now });
    this.#receive(open, batch, moment);
    this.#sendDevices(open);
    this.#endCleared(open, batch);
    if (hasToSend(open.core) || Math.abs(now - open.core.aliveAt) >= MAX_QUIET_SECONDS)
      open.step({ kind: "go on", now });
    return open;
  }

  /** What the pair allows now, for something that is only tried: nothing of it happens, and no client is counted. */
  rehearse(batch: Batch): void {
    const moment = this.#moment(batch.nowMs);
    batch.failover = new PairBatch(this.#core, this.#ledger(batch, moment), moment, () => false);
  }

  /** What this node is where another machine is to be its peer. */
  standing(engineNow: number): Standing {
    return standingOf(this.#parts, this.#core, this.#moment(engineNow));
  }

  /** Somebody has said something of the device that has an address. */
  noted(note: DeviceNote, address: Address): void {
    const link = this.#open?.core.link;
    if (link?.isOpen) this.#open?.acts.push({ link: link.id, send: [messageOf([note], address)] });
  }

  /** This node has all leases of its peer: what it held besides has ended. */
  #endCleared(open: PairBatch, batch: Batch): void {
    if (open.core.state !== "normal" || !this.#parts.hasCleared()) return;
    const { v4, v6 } = this.#parts.families;
    v4.endCleared(batch, MAX_CLEARED);
    v6?.endCleared(batch, MAX_CLEARED);
  }

  #sendDevices(open: PairBatch): void {
    const { link, isCongested } = open.core;
    const message = link?.isOpen && !isCongested ? this.#devices.next(link.id) : undefined;
    if (link && message) open.acts.push({ link: link.id, send: [message] });
  }

  /** Everything is decided: what is to be written goes into the batch. */
  close(batch: Batch): void {
    const open = this.#open;
    if (!open) return;
    open.close();
    const { ledger } = open;
    const { durable } = open.core;
    if (durable === this.#kept && ledger.writes.size === 0 && !ledger.clears) return;
    batch.pair = { durable, writes: [...ledger.writes.values()], clears: ledger.clears };
  }

  /** The batch is on disk. */
  committed(batch: Batch): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    this.#tellRefusal(this.#core.refusal, open.core.refusal);
    this.#core = open.core;
    this.#kept = open.core.durable;
    this.#passed = 0;
    this.#setBy = 0;
    this.#record.count(open);
    open.ledger.apply(open.now);
    this.#queue.forgetUpTo(open.core.ackedSeq);
    this.#queue.sort(({ seq, address }) => open.ledger.find(address)?.seq === seq);
    const { link } = this.#parts;
    const details = (address: Address) => {
      if (open.isUnchanged(address)) return NOTHING;
      const write = open.ledger.writes.get(address);
      const isAsRead = write?.record === undefined && write?.seen === undefined;
      return this.#family(address)?.details(address, batch, isAsRead) ?? NOTHING;
    };
    for (const act of open.acts) {
      if (!act.send) link.close(act.link);
      else for (const message of act.send) link.send(act.link, framesOf(message, details));
    }
    for (const conflict of open.conflicts) this.#parts.onConflict(conflict);
    this.#meet(open.core.durable.peerServers);
  }

  /** No client may have an address of the peer, also while the peer is away. */
  #meet(peerServers: readonly string[]): void {
    if (peerServers === this.#met) return;
    this.#met = peerServers;
    const { families } = this.#parts;
    const { v4, v6, duid } = serverOf(peerServers);
    families.v4.meet({ addresses: v4, duid });
    families.v6?.meet({ addresses: v6, duid });
  }

  /** Once for each reason: the secondary dials twice a second. */
  #tellRefusal(before: Refusal | null, now: Refusal | null): void {
    const { log } = this.#parts;
    if (now && (now.because !== before?.because || now.there !== before.there)) {
      log.warn({ setting: now.because, here: now.here, there: now.there }, refusalText(now));
    } else if (before && !now)
      log.info({ setting: before.because }, "the two nodes no longer refuse each other");
  }

  /** The batch could not be written, or was given up: nothing has happened, and the link begins anew. */
  failed(batch: Batch): void {
    if (!this.#open) return;
    this.#open = undefined;
    const moment = this.#moment(batch.nowMs);
    const open = new PairBatch(this.#core, this.#ledger(batch, moment), moment, () => false);
    // The times that are moved by it are written with the next batch.
    if (this.#setBy !== 0) open.step({ kind: "clock set", by: this.#setBy, now: moment.now });
    this.#setBy = 0;
    open.step({ kind: "time passed", seconds: this.#passed, now: moment.now });
    this.#passed = 0;
    open.step({ kind: "commit failed", now: moment.now });
    this.#core = open.core;
    this.#parts.link.close();
  }

  /** Once a second. */
  tick(batch: Batch): void {
    const open = this.#open;
    if (!open || batch.nowMs - this.#tickedAt < TICK_MS) return;
    this.#tickedAt = batch.nowMs;
    open.step({ kind: "tick", now: open.now, replay: batch.replay });
  }

  /** Why a command was refused. */
  command(command: Command): string | undefined {
    const open = this.#open;
    return open?.step({ kind: "command", command, now: open.now }).refusal;
  }

  #ledger(batch: Batch, { shift }: PairMoment): PairLedger {
    const { lastSeq } = this.#core.durable;
    return new PairLedger(batch, this.#parts.families, this.#queue, lastSeq, shift);
  }

  #receive(open: PairBatch, batch: Batch, { now, shift }: PairMoment): void {
    const { link, elapsed } = this.#parts;
    const startedAt = elapsed();
    let cost = 0;
    while (cost < MAX_RECEIVED_ROWS && elapsed() - startedAt < MAX_RECEIVING_MS) {
      const event = this.#next ?? link.take();
      this.#next = undefined;
      if (!event) return;
      if (event.kind !== "message") {
        open.step({ kind: "link", id: event.id, isUp: event.kind === "up", now });
        continue;
      }
      const { message } = event;
      if (message.type === "update" || message.type === "page") open.received += message.rows.length;
      cost += costOf(message);
      if (message.type === "beat") this.#parts.raiseReplay(message.replay);
      const problem = this.#problemOf(open, message, shift);
      if (problem === undefined) {
        this.#tellConflicts(open, message, open.step({ ...event, now }), batch);
        if (message.type === "devices" && open.core.link?.id === event.link)
          this.#devices.receive(batch, message);
      } else {
        this.#parts.log.info({ type: message.type }, problem);
        open.step({ kind: "link", id: event.link, isUp: false, now });
        open.acts.push({ link: event.link, send: undefined });
      }
    }
  }

  /** Of the client that loses its address, this node or the message has the lease. */
  #tellConflicts({ ledger }: PairBatch, message: Message, { conflicts }: Outcome, batch: Batch): void {
    if (conflicts.length === 0 || (message.type !== "update" && message.type !== "page")) return;
    for (const { address, kept } of conflicts) {
      const theirs = message.rows.find((row) => row.address === address);
      const family = this.#family(address);
      const isOwn = theirs?.client === kept;
      const loser = isOwn ? family?.record(address) : theirs && ledger.received.get(theirs.details)?.record;
      if (loser) family?.conflict(batch, loser);
    }
  }

  #family(address: Address): PairedFamily<Address> | undefined {
    const { v4, v6 } = this.#parts.families;
    return (typeof address === "number" ? v4 : v6) as PairedFamily<Address> | undefined;
  }

  /** Leases that came with a message are read before any rule looks at them. */
  #problemOf(open: PairBatch, message: Message, shift: number): string | undefined {
    if (message.type !== "update" && message.type !== "page") return undefined;
    try {
      for (const row of message.rows) {
        if (row.details.length > 0) open.ledger.received.set(row.details, this.#leaseOf(row, shift));
        // Without details it is a renewal of what is known here, unless that was changed meanwhile.
        else if (open.ledger.find(row.address)?.client !== row.client) {
          return "the peer renewed a lease that was changed here meanwhile; link closed, and all is sent whole";
        }
      }
      return undefined;
    } catch (error) {
      if (error instanceof Malformed) return "the peer sent a lease that cannot be read; link closed";
      throw error;
    }
  }

  #leaseOf(row: SentRow, shift: number): ReceivedLease<Address> {
    const family = this.#family(row.address);
    if (!family) throw new Malformed("a lease of a family that is not served");
    return family.received({ ...row, end: timeIn(row.end, shift) });
  }
}

/** What is to be written of a message. */
function costOf(message: Message): number {
  if (message.type === "devices") return message.devices.length;
  return message.type === "update" || message.type === "page" ? message.rows.length : 0;
}

function load<A extends Address>({ leases, pairs }: PairedFamily<A>, server: Role, shift: number): void {
  leases.keepPairs();
  for (const [address, part] of pairs()) leases.setPair(address, part);
  // A lease from before there was a pair is one that the peer knows nothing of.
  for (const { address, until, state } of leases.all()) {
    if (state === STATE.offered || leases.pairOf(address)) continue;
    const promise = timeIn(until, -shift);
    leases.setPair(address, { server, client: null, promise, known: 0, seq: 0, base: 0 });
  }
}

function unacknowledged({ v4, v6 }: Families, acked: number): Array<Pick<Row, "seq" | "address">> {
  const found: Array<Pick<Row, "seq" | "address">> = [];
  for (const [address, { seq }] of [...v4.pairs(), ...(v6?.pairs() ?? [])]) {
    if (seq > acked) found.push({ seq, address });
  }
  return found.sort((a, b) => a.seq - b.seq);
}
