import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EVENT_TYPES, type EventType } from "@frontdesk/lease-control-api/event-types";
import { ipv6Bytes } from "@frontdesk/lease-options/address";
import type { LeaseEvent } from "../leases/lease-record.ts";
import { tellsHolder } from "./event-holder.ts";
import { address6Key, CHUNK, KIND, macHash, packChunk } from "./event-index.ts";

interface TailRow {
  readonly id: number;
  readonly ip: number;
  readonly ip6: Uint8Array | null;
  readonly mac: Uint8Array;
  readonly at: number;
  readonly type: number;
}

/** `key`: what the event is filed under by its address. */
type Kept = Pick<LeaseEvent, "mac" | "at" | "type"> & { readonly id: number; readonly key: number };

/**
 * The keys of the events that no chunk holds yet, by their place after the last chunk. Events that
 * were removed leave their places empty.
 */
export class EventTail {
  readonly #database: DatabaseSync;
  readonly #chunk: StatementSync;
  readonly #index: StatementSync;
  readonly #ips = new Uint32Array(CHUNK);
  readonly #macs = new Uint32Array(CHUNK);
  readonly #tellsHolder = new Uint8Array(CHUNK);
  /** The number of the first event after the last chunk. */
  #first = 1;
  #from = Number.POSITIVE_INFINITY;
  #to = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#chunk = database.prepare(
      "INSERT INTO event_chunk (first, last, from_at, to_at) VALUES (?, ?, ?, ?)",
    );
    this.#index = database.prepare(
      "INSERT INTO event_index (chunk, kind, slot, entries) VALUES (?, ?, ?, ?)",
    );
    this.read();
  }

  /** Reads the events after the last chunk: at a start, and after a transaction that failed. */
  read(): void {
    const { last } = this.#database
      .prepare("SELECT coalesce(max(last), 0) AS last FROM event_chunk")
      .get() as {
      last: number;
    };
    this.#begin(last + 1);
    const tail = this.#database.prepare("SELECT id, ip, ip6, mac, at, type FROM event WHERE id > ?");
    for (const row of tail.iterate(last) as Iterable<unknown>) {
      const { type, ip, ip6, ...event } = row as TailRow;
      this.#keep({ ...event, key: ip6 ? address6Key(ip6) : ip, type: EVENT_TYPES[type] as EventType });
    }
  }

  /** Inside the transaction that writes the event. */
  add(id: number, { ip, v6, mac, at, type }: LeaseEvent): void {
    this.#keep({ id, key: v6 ? address6Key(ipv6Bytes(v6.address)) : ip, mac, at, type });
    if (id - this.#first + 1 === CHUNK) this.#close(id);
  }

  #keep({ id, key, mac, at, type }: Kept): void {
    const place = id - this.#first;
    this.#ips[place] = key;
    this.#macs[place] = macHash(mac);
    this.#tellsHolder[place] = tellsHolder(type) ? 1 : 0;
    // The wall clock may have been set in between: times need not be in order.
    this.#from = Math.min(this.#from, at);
    this.#to = Math.max(this.#to, at);
  }

  #close(last: number): void {
    this.#chunk.run(this.#first, last, this.#from, this.#to);
    for (const [kind, keys] of [
      [KIND.ip, this.#ips],
      [KIND.mac, this.#macs],
    ] as const) {
      for (const [slot, entries] of packChunk(keys, this.#tellsHolder, CHUNK))
        this.#index.run(this.#first, kind, slot, entries);
    }
    this.#begin(last + 1);
  }

  #begin(first: number): void {
    this.#first = first;
    this.#ips.fill(0);
    this.#macs.fill(0);
    this.#tellsHolder.fill(0);
    this.#from = Number.POSITIVE_INFINITY;
    this.#to = 0;
  }
}
