import type { PairFacts } from "../ha/status.ts";
import type { PairBatch } from "./pair-batch.ts";

/** What has happened in a pair since this node was started: counts, since when it is alone, how long the last resync took. */
export class PairRecord {
  readonly #counts = { conflicts: 0, shortened: 0, sent: 0, received: 0 };
  /** Rows sent and received. */
  #moved = 0;
  #resync: { readonly at: number; readonly before: number } | undefined;
  #aloneSince: number | undefined;
  #lastResync: PairFacts["lastResync"] = null;

  constructor(now: number) {
    this.#aloneSince = now;
  }

  get facts(): Pick<
    PairFacts,
    "conflicts" | "shortened" | "sent" | "received" | "lastResync" | "aloneSince"
  > {
    return { ...this.#counts, lastResync: this.#lastResync, aloneSince: this.#aloneSince };
  }

  /** Of a batch that is on disk. */
  count(open: PairBatch): void {
    const { now } = open;
    this.#counts.conflicts += open.conflicts.length;
    this.#counts.shortened += open.shortened;
    this.#counts.received += open.received;
    let moved = open.received;
    for (const message of open.acts.flatMap(({ send = [] }) => send)) {
      if (message.type === "update") this.#counts.sent += message.rows.length;
      if (message.type === "update" || message.type === "page") moved += message.rows.length;
    }
    this.#moved += moved;
    const { state, link } = open.core;
    if (link?.isOpen) this.#aloneSince = undefined;
    else this.#aloneSince ??= now;
    if (link?.isOpen && state !== "normal") this.#resync ??= { at: now, before: this.#moved - moved };
    else if (this.#resync) {
      const { at, before } = this.#resync;
      if (state === "normal") this.#lastResync = { at: now, rows: this.#moved - before, seconds: now - at };
      this.#resync = undefined;
    }
  }
}
