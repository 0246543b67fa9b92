import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EVENT_TYPES } from "@frontdesk/lease-control-api/event-types";
import type { LeaseEvent } from "../leases/lease-record.ts";
import { EventTail } from "./event-tail.ts";
import { octetsOf } from "./lease6-rows.ts";

const TYPE_NUMBER = new Map<string, number>(EVENT_TYPES.map((type, i) => [type, i]));
/** Rows of one retention step: few enough that no packet waits for it. */
const MAX_PRUNED_ROWS = 2000;

/** The history of all leases: events get the next number each, and old ones go. */
export class EventLog {
  readonly #database: DatabaseSync;
  readonly #event: StatementSync;
  readonly #eventOf6: StatementSync;
  readonly #tail: EventTail;
  #last: number;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#event = database.prepare(
      "INSERT INTO event (id, at, type, ip, mac, client_id, hostname, giaddr, circuit_id, remote_id, until, reason, renewals, config) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.#eventOf6 = database.prepare(
      "INSERT INTO event (id, at, type, ip, mac, client_id, hostname, giaddr, circuit_id, remote_id, until, reason, renewals, config, ip6, length, duid, iaid, link) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.#last = this.#number("SELECT coalesce(max(id), 0) AS number FROM event");
    this.#tail = new EventTail(database);
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** In the transaction of what it tells of. */
  append(event: LeaseEvent): void {
    const id = ++this.#last;
    const common = [
      id,
      event.at,
      TYPE_NUMBER.get(event.type) as number,
      event.ip,
      event.mac,
      event.clientId,
      event.hostname,
      event.giaddr,
      event.circuitId,
      event.remoteId,
      event.until,
      event.reason,
      event.renewals,
      event.config,
    ];
    const { v6 } = event;
    if (v6) {
      const { address, length, duid, iaid, link } = v6;
      this.#eventOf6.run(...common, octetsOf(address), length, duid, iaid, octetsOf(link));
    } else this.#event.run(...common);
    this.#tail.add(id, event);
  }

  /** The transaction of those after it has failed. */
  goBackTo(last: number): void {
    this.#last = last;
    this.#tail.read();
  }

  /**
   * Takes away a little of what is older than `days` or beyond the newest `most`; answers whether there may be more.
   * Days are those on which the engine ran, `today` by its own clock: events carry wall time, and a wall clock that is
   * set ahead for an hour would take the whole history away.
   */
  prune(today: number, days: number, most: number, transaction: (work: () => void) => void): boolean {
    const { newest } = this.#database.prepare("SELECT max(day) AS newest FROM event_day").get() as {
      newest: number | null;
    };
    if (newest === null || newest < today) {
      this.#database.prepare("INSERT INTO event_day VALUES (?, ?)").run(today, this.#last + 1);
    }
    const kept = this.#database
      .prepare("SELECT first FROM event_day ORDER BY day DESC LIMIT 1 OFFSET ?")
      .get(days) as { first: number } | undefined;
    const oldest = this.#number("SELECT coalesce(min(id), 0) AS number FROM event");
    // The newest stays: the numbers go on from it.
    const first = Math.min(Math.max(kept?.first ?? 0, this.#last - most + 1), this.#last);
    if (oldest >= first) return false;
    transaction(() => {
      this.#database.prepare("DELETE FROM event WHERE id < ?").run(Math.min(oldest + MAX_PRUNED_ROWS, first));
      if (kept) this.#database.prepare("DELETE FROM event_day WHERE first < ?").run(kept.first);
      this.#forgetChunks();
    });
    return true;
  }

  /** Chunks whose events are all gone; the newest stays, because the tail is counted from it. */
  #forgetChunks(): void {
    const gone = this.#database
      .prepare(
        "SELECT first FROM event_chunk WHERE last < (SELECT min(id) FROM event) AND last < (SELECT max(last) FROM event_chunk)",
      )
      .all() as Array<{ first: number }>;
    for (const { first } of gone) {
      this.#database.prepare("DELETE FROM event_index WHERE chunk = ?").run(first);
      this.#database.prepare("DELETE FROM event_chunk WHERE first = ?").run(first);
    }
  }

  #number(query: string): number {
    return (this.#database.prepare(query).get() as { number: number }).number;
  }
}
