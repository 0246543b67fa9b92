import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { EVENT_TYPES, type EventType } from "@frontdesk/lease-control-api/event-types";
import { ipv6Bytes, sameBytes } from "@frontdesk/lease-options/address";
import type { LeaseEvent } from "../leases/lease-record.ts";
import { TELLS_HOLDER, tellsHolder } from "./event-holder.ts";
import { address6Key, findInSlot, KIND, type Kind, macHash, slotOf } from "./event-index.ts";
import { addressIn } from "./lease6-rows.ts";
import { PreparedStatements } from "./prepared-statements.ts";

export interface EventQuery {
  readonly ip?: number | bigint;
  readonly mac?: Uint8Array;
  readonly type?: EventType;
  /** Milliseconds, both ends included. */
  readonly from?: number;
  readonly to?: number;
  /** Newest first, only events before this one; or oldest first, only events after this one. */
  readonly before?: number;
  readonly after?: number;
  readonly limit: number;
}

export interface StoredEvent extends LeaseEvent {
  /** Gapless. */
  readonly id: number;
}

const EVENT_COLUMNS =
  "id, at, type, ip, mac, client_id, hostname, giaddr, circuit_id, remote_id, until, reason, renewals, config, ip6, length, duid, iaid, link";
/** In the order of `EVENT_COLUMNS`; from `ip6` on it is of DHCPv6, all null in one of DHCPv4. */
type EventRow = [
  id: number,
  at: number,
  type: number,
  ip: number,
  mac: Uint8Array,
  clientId: Uint8Array | null,
  hostname: string | null,
  giaddr: number,
  circuitId: Uint8Array | null,
  remoteId: Uint8Array | null,
  until: number,
  reason: string | null,
  renewals: number,
  config: string,
  ip6: Uint8Array | null,
  length: number,
  duid: Uint8Array | null,
  iaid: number,
  link: Uint8Array | null,
];

/** A question that few events answer is cut here; its cursor goes on where it stopped. */
const MAX_LOOKED_AT = 200_000;

/** Finds events by their number, and by the index of the chunks that older ones are in. */
export class EventReader {
  readonly #database: DatabaseSync;
  readonly #statements: PreparedStatements;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = new PreparedStatements(database);
  }

  /** The number of the newest event. */
  last(): number {
    return this.#greatest("max(id)", "event");
  }

  /** Newest first; with `after`, oldest first. The cursor goes on where the page ends. */
  page(query: EventQuery): { items: StoredEvent[]; nextCursor: number | undefined } {
    const items: StoredEvent[] = [];
    let looked = 0;
    for (const event of this.#candidates(query)) {
      if (looked++ === MAX_LOOKED_AT) {
        return { items, nextCursor: query.after === undefined ? event.id + 1 : event.id - 1 };
      }
      if (!matches(event, query)) continue;
      if (items.length === query.limit) return { items, nextCursor: items.at(-1)?.id };
      items.push(event);
    }
    return { items, nextCursor: undefined };
  }

  /** The first event, in the query's order, that tells who has its address. */
  first(query: Omit<EventQuery, "limit">): StoredEvent | undefined {
    for (const event of this.#candidates(query, true)) {
      if (tellsHolder(event.type) && matches(event, query)) return event;
    }
    return undefined;
  }

  /** Events that may match, in the query's order: those of the chunks by their index, those after them one by one. */
  *#candidates(query: Omit<EventQuery, "limit">, holders = false): Generator<StoredEvent> {
    const forward = query.after !== undefined;
    // One view of the tail and of the chunks, however much is written meanwhile.
    this.#database.exec("BEGIN");
    try {
      const first = (query.after ?? 0) + 1;
      const last = (query.before ?? Number.MAX_SAFE_INTEGER) - 1;
      const tail = Math.max(first, this.#greatest("max(last)", "event_chunk") + 1);
      if (!forward) yield* this.#range(query, tail, last, forward, holders);
      for (const chunk of this.#chunks(query, first, last, forward))
        yield* this.#inChunk(query, chunk, first, last, forward, holders);
      if (forward) yield* this.#range(query, tail, last, forward, holders);
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  /** Read one at a time: a page of the newest events needs one of hundreds. */
  *#chunks(
    query: Omit<EventQuery, "limit">,
    first: number,
    last: number,
    forward: boolean,
  ): Generator<Chunk> {
    const order = forward ? "ASC" : "DESC";
    const rows = this.#statements.of(
      `SELECT first, last FROM event_chunk WHERE last >= ? AND first <= ? AND to_at >= ? AND from_at <= ? ORDER BY first ${order}`,
    );
    for (const row of rows.iterate(first, last, query.from ?? 0, query.to ?? Number.MAX_SAFE_INTEGER)) {
      const [chunkFirst, chunkLast] = row as unknown as [number, number];
      yield { first: chunkFirst, last: chunkLast };
    }
  }

  /** 0 in an empty table. */
  #greatest(greatest: "max(id)" | "max(last)", table: "event" | "event_chunk"): number {
    const [value] = this.#statements.of(`SELECT coalesce(${greatest}, 0) FROM ${table}`).get() as unknown as [
      number,
    ];
    return value;
  }

  *#inChunk(
    query: Omit<EventQuery, "limit">,
    chunk: Chunk,
    first: number,
    last: number,
    forward: boolean,
    holders: boolean,
  ): Generator<StoredEvent> {
    const key = keyOf(query);
    if (!key) {
      yield* this.#range(query, Math.max(first, chunk.first), Math.min(last, chunk.last), forward, holders);
      return;
    }
    const row = this.#statements
      .of("SELECT entries FROM event_index WHERE chunk = ? AND kind = ? AND slot = ?")
      .get(chunk.first, key.kind, slotOf(key.value)) as unknown as [entries: Uint8Array] | undefined;
    if (!row) return;
    const byId = this.#statements.of(`SELECT ${EVENT_COLUMNS} FROM event WHERE id = ?`);
    const places = findInSlot(row[0], key.value, holders);
    for (const place of forward ? places : places.reverse()) {
      const id = chunk.first + place;
      const found = id >= first && id <= last ? byId.get(id) : undefined;
      if (found) yield eventOf(found as unknown as EventRow);
    }
  }

  *#range(
    query: Omit<EventQuery, "limit">,
    first: number,
    last: number,
    forward: boolean,
    holders: boolean,
  ): Generator<StoredEvent> {
    const conditions = ["id BETWEEN ? AND ?", "at BETWEEN ? AND ?"];
    const values: SQLInputValue[] = [first, last, query.from ?? 0, query.to ?? Number.MAX_SAFE_INTEGER];
    if (typeof query.ip === "number") {
      conditions.push("ip = ? AND ip6 IS NULL");
      values.push(query.ip);
    } else if (query.ip !== undefined) {
      conditions.push("ip6 = ?");
      values.push(ipv6Bytes(query.ip));
    }
    if (query.mac) {
      conditions.push("mac = ?");
      values.push(query.mac);
    }
    if (holders) conditions.push(TELLS_HOLDER);
    const rows = this.#statements.of(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE ${conditions.join(" AND ")} ORDER BY id ${forward ? "ASC" : "DESC"}`,
    );
    for (const row of rows.iterate(...values)) yield eventOf(row as unknown as EventRow);
  }
}

interface Chunk {
  readonly first: number;
  readonly last: number;
}

function keyOf(query: Omit<EventQuery, "limit">): { kind: Kind; value: number } | undefined {
  if (typeof query.ip === "bigint") return { kind: KIND.ip, value: address6Key(ipv6Bytes(query.ip)) };
  if (query.ip !== undefined) return { kind: KIND.ip, value: query.ip };
  if (query.mac !== undefined) return { kind: KIND.mac, value: macHash(query.mac) };
  return undefined;
}

function matches(event: StoredEvent, query: Omit<EventQuery, "limit">): boolean {
  if (query.ip !== undefined && (event.v6?.address ?? event.ip) !== query.ip) return false;
  if (query.mac !== undefined && !sameBytes(event.mac, query.mac)) return false;
  if (query.type !== undefined && event.type !== query.type) return false;
  return event.at >= (query.from ?? 0) && event.at <= (query.to ?? Number.MAX_SAFE_INTEGER);
}

function eventOf(row: EventRow): StoredEvent {
  const [id, at, type, ip, mac, clientId, hostname, giaddr, circuitId, remoteId, ...rest] = row;
  const [until, reason, renewals, config, ip6, length, duid, iaid, link] = rest;
  return {
    id,
    at,
    type: EVENT_TYPES[type] as EventType,
    ip,
    mac,
    clientId,
    hostname,
    giaddr,
    circuitId,
    remoteId,
    until,
    reason,
    renewals,
    config,
    ...(duid === null ? {} : { v6: { address: addressIn(ip6), length, duid, iaid, link: addressIn(link) } }),
  };
}
