import type { Pool } from "@frontdesk/lease-config/config";
import type { LeaseTable } from "../leases/lease-table.ts";
import { PendingLeases } from "../leases/pending-leases.ts";
import { Batch } from "./batch.ts";
import type { Counters } from "./counters.ts";
import type { EngineClock, KeptClock } from "./engine-clock.ts";
import type { LeaseStore } from "./lease-store.ts";
import type { AnyDatagram, Datagram, Datagram6, ProbeAnswer, Waiting, Wire } from "./wire.ts";

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
}

/** Exchanges in one batch; what comes in at once beyond this is another batch. */
const MAX_BATCH = 256;
const MAX_EXPIRED = 1000;
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

  /** What time brings: leases end, probes end, the wall clock is set. */
  tick(): void {
    const step = this.#parts.clock.check();
    if (step !== 0) this.#tellStep(step);
    this.#tryAgain();
    this.run((batch) => this.#keepClock(batch));
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
  rehearse(decide: (batch: Batch) => void): void {
    decide(this.#newBatch());
  }

  #newBatch(): Batch {
    const { clock, store } = this.#parts;
    const moment = { now: clock.now(), offset: clock.offset };
    return new Batch(new PendingLeases(this.#protocol.leases), store, moment);
  }

  /** Decides and makes it so; `saved` is false when it could not be written, and then nothing has happened. */
  run<T>(decide: (batch: Batch) => T): Saved<T> {
    const { counters, log } = this.#parts;
    const batch = this.#newBatch();
    const value = decide(batch);
    if (!this.#persist(batch)) {
      counters.add("drop_store", batch.replies.length);
      return { saved: false };
    }
    batch.settle((counter, by) => counters.add(counter, by));
    if (batch.replies.length > 0) this.#send(batch);
    batch.finish((error) => log.error({ err: error }, "a callback after a commit failed"));
    return { saved: true, value };
  }

  /** What cannot be sent is counted; whoever waits for it asks again. */
  #send(batch: Batch): void {
    const { wire, counters, log } = this.#parts;
    try {
      wire.send(batch.replies);
    } catch (error) {
      counters.add("send_errors", batch.replies.length);
      log.error({ err: error }, "replies could not be sent");
    }
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

  #tellStep(step: number): void {
    const { log, counters, clock } = this.#parts;
    counters.add("clock_steps");
    counters.set("clock_offset_seconds", clock.offset / 1000);
    log.warn({ seconds: step / 1000 }, "the wall clock was set; leases keep the time they had left");
  }
}

const isSameClock = (a: KeptClock, b: KeptClock) =>
  a.offset === b.offset && a.bootId === b.bootId && a.bootTime === b.bootTime;
