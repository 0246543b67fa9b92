import type { Pool } from "@frontdesk/lease-config/config";
import { type Failover, single } from "../ha/failover.ts";
import { STATE, timeIn } from "../leases/binding.ts";
import type { NameResult } from "../leases/dns-name.ts";
import {
  type DeviceNote,
  keepingRelay,
  type LeaseEvent,
  type LeaseRecord,
  type LeaseWrite,
} from "../leases/lease-record.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";
import type { Batch6 } from "./batch6.ts";
import type { KeptClock } from "./engine-clock.ts";
import { LatestWrites } from "./latest-writes.ts";
import type { Commit, LeaseStore } from "./lease-store.ts";
import type { AnyOutgoing } from "./wire.ts";

/** Times of one batch: all that is decided in it happens at one moment. */
export interface Moment {
  /** Milliseconds of the engine's clock. */
  readonly now: number;
  /** Engine time minus wall time, milliseconds. */
  readonly offset: number;
  /** What replay detection tells clients, milliseconds. */
  readonly replay: number;
}

/**
 * What has been decided and not yet been written: lease changes, rows, events, replies, counts.
 * Everything decided later in the batch sees it; nobody else does until it is committed.
 */
export class Batch {
  readonly leases: PendingLeases<number, Pool>;
  /** Seconds of the engine's clock. */
  readonly now: number;
  readonly nowMs: number;
  /** What ends by this second is over: it may have begun at the end of a second, and is not shortened by the part of it. */
  readonly overBy: number;
  /** What replay detection tells clients, milliseconds. */
  readonly replay: number;
  readonly replies: AnyOutgoing[] = [];
  clock: KeptClock | undefined;
  /** What the pair allows, and is told of what was decided; `single` without a peer. */
  failover: Failover = single;
  /** What is written of the pair. */
  pair: Commit["pair"];
  /** What has been decided of DHCPv6; undefined while that is nothing. */
  v6: Batch6 | undefined;
  readonly #offset: number;
  readonly #writes: LeaseWrite[] = [];
  readonly #latest: LatestWrites<number, LeaseWrite, LeaseRecord>;
  #whole: ReadonlyMap<number, LeaseRecord> | undefined;
  readonly #events: LeaseEvent[] = [];
  readonly #notes: DeviceNote[] = [];
  readonly #names: NameResult[] = [];
  readonly #counts: Array<[counter: string, by: number]> = [];
  readonly #after: Array<() => void> = [];
  /** All that a packet may have added to, and how long each was before it. */
  readonly #lists: ReadonlyArray<unknown[]> = [
    this.#writes,
    this.#events,
    this.#notes,
    this.#names,
    this.#counts,
    this.#after,
    this.replies,
  ];
  readonly #lengths: number[] = [];

  constructor(
    leases: PendingLeases<number, Pool>,
    store: Pick<LeaseStore, "find">,
    { now, offset, replay }: Moment,
  ) {
    this.leases = leases;
    this.#latest = new LatestWrites(addressOf, (ip) => store.find(ip), changed);
    this.nowMs = now;
    this.replay = replay;
    this.now = Math.floor(now / 1000);
    this.overBy = Math.floor((now - 999) / 1000);
    this.#offset = offset;
  }

  /** Engine time minus wall time. */
  get offsetSeconds(): number {
    return Math.round(this.#offset / 1000);
  }

  /** Milliseconds of the wall clock. */
  get wallMs(): number {
    return Math.floor(this.nowMs - this.#offset);
  }

  /** A lease as it will be on disk when this batch is. */
  find(ip: number): LeaseRecord | undefined {
    return this.#latest.find(ip);
  }

  /** Whether this batch has decided something of a lease that is written. */
  hasWritten(ip: number): boolean {
    return this.#latest.has(ip);
  }

  /** A lease that this batch has written whole, if it is the last that it did to it. */
  written(ip: number): LeaseRecord | undefined {
    this.#whole ??= wholeLeases(this.#writes);
    return this.#whole.get(ip);
  }

  write(write: LeaseWrite): void {
    this.#whole = undefined;
    this.#writes.push(write);
    this.#latest.add(write);
  }

  /** An event of this moment; `until` is in engine time, 0 where there is none. */
  tell(event: Omit<LeaseEvent, "at">): void {
    const until = event.until === 0 ? 0 : timeIn(event.until, -this.offsetSeconds);
    this.#events.push({ ...event, until, at: this.nowMs - this.#offset });
  }

  note(note: DeviceNote): void {
    this.#notes.push(note);
  }

  /** What became of a name in DNS. */
  named(result: NameResult): void {
    this.#names.push(result);
  }

  reply(outgoing: AnyOutgoing): void {
    this.replies.push(outgoing);
  }

  count(counter: string, by = 1): void {
    this.#counts.push([counter, by]);
  }

  /** Done once the batch is on disk, and not at all if it never is. */
  after(act: () => void): void {
    this.#after.push(act);
  }

  get commit(): Commit {
    const [writes, writes6] = [this.#writes, this.v6?.writes ?? []];
    const [events, notes, names] = [this.#events, this.#notes, this.#names];
    return { writes, writes6, events, notes, names, clock: this.clock, pair: this.pair };
  }

  get isEmpty(): boolean {
    const lists = [this.#writes, this.v6?.writes ?? [], this.#events, this.#notes, this.#names];
    return lists.every((list) => list.length === 0) && this.clock === undefined && !this.pair;
  }

  /** Decides something whole or not at all: if it throws, nothing of it stays in the batch. */
  whole(decide: () => void): void {
    const leases = this.leases.savepoint;
    const v6 = this.v6?.savepoint;
    const decided = this.failover.savepoint;
    for (let i = 0; i < this.#lists.length; i++) this.#lengths[i] = (this.#lists[i] as unknown[]).length;
    try {
      decide();
    } catch (error) {
      this.leases.rollBackTo(leases);
      this.v6?.rollBackTo(v6);
      this.failover.rollBackTo(decided);
      for (const [i, list] of this.#lists.entries()) list.length = this.#lengths[i] as number;
      this.#whole = undefined;
      this.#latest.reset(this.#writes);
      throw error;
    }
  }

  /** It is on disk: what was decided becomes so. */
  settle(count: (counter: string, by: number) => void): void {
    this.leases.apply();
    this.v6?.leases.apply();
    for (const [counter, by] of this.#counts) count(counter, by);
  }

  /** What else was to be done, each on its own: one that fails keeps none from the others. */
  finish(onError: (error: unknown) => void): void {
    for (const act of this.#after) {
      try {
        act();
      } catch (error) {
        onError(error);
      }
    }
  }
}

const addressOf = (write: LeaseWrite) => (write.kind === "put" ? write.lease.ip : write.ip);

function changed(before: () => LeaseRecord | undefined, write: LeaseWrite): LeaseRecord | undefined {
  if (write.kind === "put") {
    const kept = write.keepRelay ? before() : undefined;
    return kept ? keepingRelay(write.lease, kept) : write.lease;
  }
  const lease = write.kind === "remove" ? undefined : before();
  if (!lease || write.kind === "remove") return undefined;
  if (write.kind === "mark") {
    const { state, until, told } = write;
    return { ...lease, state, until, told };
  }
  const { until, seen, nonce } = write;
  return { ...lease, state: STATE.bound, until, seen, nonce, renewals: lease.renewals + 1 };
}

function wholeLeases(writes: readonly LeaseWrite[]): Map<number, LeaseRecord> {
  const whole = new Map<number, LeaseRecord>();
  for (const write of writes) {
    if (write.kind === "put" && !write.keepRelay) whole.set(write.lease.ip, write.lease);
    else whole.delete(write.kind === "put" ? write.lease.ip : write.ip);
  }
  return whole;
}
