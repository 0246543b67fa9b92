import type { Pool } from "@frontdesk/lease-config/config";
import type { Failover } from "../ha/failover.ts";
import type { LeaseTable } from "../leases/lease-table.ts";
import { PendingLeases } from "../leases/pending-leases.ts";
import { Batch } from "./batch.ts";
import type { Counters } from "./counters.ts";
import type { EngineClock, KeptClock } from "./engine-clock.ts";
import type { LeaseStore } from "./lease-store.ts";
import type { PairNode } from "./pair-node.ts";
import type { AnyDatagram, AnyOutgoing, Datagram, Datagram6, ProbeAnswer, Waiting, Wire } from "./wire.ts";

export interface EngineLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A protocol decides what packets, time and answers to probes lead to; it changes nothing but the batch. */
export interface Protocol {
  readonly leases: LeaseTable<number, Pool>;
  receive(datagram: Datagram, batch: Batch): void;
  /** Ends at most `limit` leases that have fallen due. */
  expire(batch: Batch, limit: number): void;
  /** Exchanges that waited for an answer to a probe and need wait no longer. */
  takeWaiting(now: number): Waiting[];
  resume(waiting: Waiting, batch: Batch): void;
  answered(answer: ProbeAnswer, batch: Batch): void;
  /** Milliseconds until something is to be done. */
  patience(now: number): number;
}

/** DHCPv6 asks nobody whether an address is in use: its clients do so themselves (RFC 4862 section 5.4). */
export interface Protocol6 {
  readonly leases: { readonly active: number };
  receive(datagram: Datagram6, batch: Batch): void;
  expire(batch: Batch, limit: number): void;
}

export interface EngineParts {
  readonly clock: EngineClock;
  readonly store: LeaseStore;
  readonly wire: Wire;
  readonly counters: Counters;
  readonly log: EngineLog;
  /** One of a pair of servers. */
  readonly pair?: PairNode;
  /** What may be decided, where there is no pair; without it, everything. */
  readonly failover?: Failover;
}

/** Exchanges in one batch; what comes in at once beyond this is another batch. */
const MAX_BATCH = 256;
const MAX_EXPIRED = 1000;
/** Batches in a row of what came over the link, none of which begins after so long; in between, packets are served. */
const MAX_LINK_ROUNDS = 4;
const MAX_LINK_MS = 5;
/**
 * Clients of DHCPv6 count their lifetimes from the reply (RFC 9915 section 21.4), and so do some of DHCPv4 (dhclient and
 * udhcpc, other than RFC 2131 section 4.4.1 says); the engine counts from when it began to decide. A reply that is later
 * than this would make a lease last longer than anybody knows.
 */
const MAX_LATE_MS = 1000;
/** A disk that is always slow serves DHCPv4 all the same, where no peer counts on the time: later, clients have asked again. */
const MAX_LATE_ALONE_MS = 4000;
/** How long no transaction must have failed before the engine says that leases are written again. */
const RECOVERY_MS = 5000;

export type Saved<T> = { readonly saved: true; readonly value: T } | { readonly saved: false };

/**
 * The one way for packets, time, answers to probes and control calls: decide, persist, apply, send.
 * Nothing is changed, counted, sent or answered before its transaction is on disk; when that fails,
 * nothing has happened, and the next batch tries again.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #protocol: Protocol;
  readonly #protocol6: Protocol6 | undefined;
  /** Whether there is an interface to clients. */
  servesClients = true;
  /** When a transaction last failed; undefined while they can be written. */
  #failedAt: number | undefined;
  #keptClock: KeptClock;

  constructor(parts: EngineParts, protocol: Protocol, protocol6?: Protocol6) {
    this.#parts = parts;
    this.#protocol = protocol;
    this.#protocol6 = protocol6;
    this.#keptClock = parts.store.clock();
  }

  /** Packets that came in together. */
  handle(round: readonly AnyDatagram[]): void {
    this.#each(round, (datagram, batch) => {
      if (datagram.family === 6) this.#protocol6?.receive(datagram, batch);
      else this.#protocol.receive(datagram, batch);
    });
  }

  /** What time brings: leases end, probes end. */
  tick(): void {
    this.#tryAgain();
    const { pair } = this.#parts;
    if (pair) pair.serving = this.#failedAt === undefined && this.servesClients;
    this.run((batch) => {
      this.#keepClock(batch);
      pair?.tick(batch);
    });
    for (const protocol of [this.#protocol, this.#protocol6]) {
      if (!protocol) continue;
      this.run((batch) =>
        this.#guard(batch, "leases could not be ended", () => protocol.expire(batch, MAX_EXPIRED)),
      );
    }
    const waited = this.#protocol.takeWaiting(this.#parts.clock.now());
    this.#each(waited, (waiting, batch) => this.#protocol.resume(waiting, batch));
    const active6 = this.#protocol6?.leases.active ?? 0;
    this.#parts.counters.set("active_leases", this.#protocol.leases.active + active6);
  }

  /** Someone answered for an address. */
  answered(answer: ProbeAnswer): void {
    this.run((batch) =>
      this.#guard(batch, "an answer to a probe could not be handled", () =>
        this.#protocol.answered(answer, batch),
      ),
    );
  }

  /** The next moment something is to be done, in milliseconds from now. */
  patience(): number {
    return this.#protocol.patience(this.#parts.clock.now());
  }

  /** Decides, and drops what was decided. */
  rehearse<T>(decide: (batch: Batch) => T): T {
    const batch = this.#newBatch();
    this.#parts.pair?.rehearse(batch);
    return decide(batch);
  }

  #newBatch(): Batch {
    const { clock, store, failover } = this.#parts;
    const moment = { now: clock.now(), offset: clock.offset, replay: clock.replay() };
    const batch = new Batch(new PendingLeases(this.#protocol.leases), store, moment);
    if (failover) batch.failover = failover;
    return batch;
  }

  /** Decides and makes it so; `saved` is false when it could not be written, and then nothing has happened. */
  run<T>(decide: (batch: Batch) => T): Saved<T> {
    const { counters, log, pair, clock } = this.#parts;
    this.#checkClock();
    const passed = clock.stopwatch();
    const batch = this.#newBatch();
    // What the pair makes of a clock that was set is written with it, once.
    if (pair) this.#keepClock(batch);
    if (pair && !this.#openPair(pair, batch)) return { saved: false };
    const value = pair ? this.#decidePaired(pair, batch, decide) : decide(batch);
    if (!this.#persist(batch)) {
      pair?.failed(batch);
      counters.add("drop_store", batch.replies.length);
      return { saved: false };
    }
    batch.settle((counter, by) => counters.add(counter, by));
    pair?.committed(batch);
    if (batch.replies.length > 0) this.#send(this.#inTime(batch, passed()));
    batch.finish((error) => log.error({ err: error }, "a callback after a commit failed"));
    return { saved: true, value };
  }

  /**
   * What came over the link is done before what the batch decides. A message that brings out a mistake of ours costs the
   * link, and clients are served on.
   */
  #openPair(pair: PairNode, batch: Batch): boolean {
    try {
      pair.open(batch);
      return true;
    } catch (error) {
      pair.failed(batch);
      this.#parts.log.error({ err: error }, "a message of the peer could not be handled; link closed");
      return false;
    }
  }

  /** What the batch has decided goes to the link after it. */
  #decidePaired<T>(pair: PairNode, batch: Batch, decide: (batch: Batch) => T): T {
    try {
      const value = decide(batch);
      pair.close(batch);
      return value;
    } catch (error) {
      pair.failed(batch);
      throw error;
    }
  }

  /** Something came over the link. */
  receive(): void {
    const { pair, clock } = this.#parts;
    const passed = clock.stopwatch();
    for (let round = 0; pair?.isWaiting && round < MAX_LINK_ROUNDS; round++) {
      if (passed() > MAX_LINK_MS) return;
      this.run(() => {});
    }
  }

  /** What cannot be sent is counted; whoever waits for it asks again. */
  #send(replies: readonly AnyOutgoing[]): void {
    const { wire, counters, log } = this.#parts;
    try {
      wire.send(replies);
    } catch (error) {
      counters.add("send_errors", replies.length);
      log.error({ err: error }, "replies could not be sent");
    }
  }

  /** What may be sent of a batch that was held up; whoever gets nothing asks again. */
  #inTime({ replies }: Batch, lateMs: number): readonly AnyOutgoing[] {
    if (lateMs <= MAX_LATE_MS) return replies;
    const { counters, pair } = this.#parts;
    return replies.filter(({ givesTime, family }) => {
      const max = family === 6 || pair ? MAX_LATE_MS : MAX_LATE_ALONE_MS;
      if (!givesTime || lateMs <= max) return true;
      counters.add(family === 6 ? "drop6_late" : "drop_late");
      return false;
    });
  }

  #keepClock(batch: Batch): void {
    const { kept } = this.#parts.clock;
    if (isSameClock(kept, this.#keptClock)) return;
    batch.clock = kept;
    batch.after(() => {
      this.#keptClock = kept;
    });
  }

  #each<D extends AnyDatagram>(datagrams: readonly D[], decide: (datagram: D, batch: Batch) => void): void {
    for (let from = 0; from < datagrams.length; from += MAX_BATCH) {
      this.run((batch) => {
        for (const datagram of datagrams.slice(from, from + MAX_BATCH)) {
          this.#guard(batch, "a packet could not be handled", () => decide(datagram, batch), datagram.bytes);
        }
      });
    }
  }

  /** A packet that brings out a mistake of ours costs its sender a reply, and nobody else anything. */
  #guard(batch: Batch, message: string, decide: () => void, packet?: Uint8Array): void {
    try {
      batch.whole(decide);
    } catch (error) {
      this.#parts.counters.add("drop_fault");
      const details = packet ? { packet: Buffer.from(packet).toString("hex") } : {};
      this.#parts.log.error({ err: error, ...details }, message);
    }
  }

  #persist(batch: Batch): boolean {
    if (batch.isEmpty) return true;
    const { store, counters, log, clock } = this.#parts;
    const startedAt = performance.now();
    try {
      store.commit(batch.commit);
      counters.add("store_commits");
      return true;
    } catch (error) {
      counters.add("store_errors");
      if (this.#failedAt === undefined) {
        log.error({ err: error }, "leases could not be written: no lease is acknowledged until they can");
      }
      this.#failedAt = clock.now();
      counters.set("store_failing", 1);
      return false;
    } finally {
      counters.add("store_seconds", (performance.now() - startedAt) / 1000);
    }
  }

  /**
   * On a full disk a small transaction may find room where the next one does not: that it was written does not mean
   * that leases can be. They can when a whole batch could, and none has failed for a while.
   */
  #tryAgain(): void {
    const { store, counters, log, clock } = this.#parts;
    if (this.#failedAt === undefined || clock.now() - this.#failedAt < RECOVERY_MS) return;
    try {
      store.tryWriting();
    } catch {
      this.#failedAt = clock.now();
      return;
    }
    this.#failedAt = undefined;
    counters.set("store_failing", 0);
    log.info({}, "leases are written again");
  }

  /** Before anything is decided: packets may have waited while the machine slept, and the clock may have been set. */
  #checkClock(): void {
    const { log, counters, clock } = this.#parts;
    const step = clock.check();
    if (step === 0) return;
    counters.add("clock_steps");
    counters.set("clock_offset_seconds", clock.offset / 1000);
    log.warn({ seconds: step / 1000 }, "the wall clock was set; leases keep the time they had left");
  }
}

const isSameClock = (a: KeptClock, b: KeptClock) =>
  a.offset === b.offset &&
  a.bootId === b.bootId &&
  a.bootTime === b.bootTime &&
  a.replayAhead === b.replayAhead;
