import type { DatabaseSync } from "node:sqlite";
import { formatHex, formatIpv4, sameBytes } from "@frontdesk/lease-options/address";
import { findInSlot, KIND, type Kind, macHash, slotOf } from "./event-index.ts";
import { EVENT_TYPES, type EventType, type LeaseEvent, type LeaseRecord } from "./lease-store.ts";
import { openForReading } from "./schema.ts";
import { LEASE_COLUMNS, recordOf } from "./sqlite-store.ts";

export interface EventQuery {
  readonly ip?: number;
  readonly mac?: Uint8Array;
  readonly type?: EventType;
  /** Milliseconds, both ends included. */
  readonly from?: number;
  readonly to?: number;
  /** Only events before this one. */
  readonly cursor?: number;
  readonly limit: number;
}

export interface StoredEvent extends LeaseEvent {
  readonly id: number;
}

export interface LeaseQuery {
  readonly states?: readonly number[];
  readonly range?: { readonly first: number; readonly last: number };
  readonly text?: string;
  readonly cursor?: number;
  readonly limit: number;
}

interface Chunk {
  readonly first: number;
  readonly last: number;
}

const EVENT_COLUMNS =
  "id, at, type, ip, mac, client_id AS clientId, hostname, giaddr, circuit_id AS circuitId, remote_id AS remoteId, until, detail";

/** A question that few events answer is cut here; its cursor goes on where it stopped. */
const MOST_LOOKED_AT = 200_000;

/** Reads what the packet worker writes, on a connection of its own: a long question holds up no packet. */
export class History {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = openForReading(path);
    this.#database.function("ip_text", (value: unknown) => formatIpv4(Number(value)));
    this.#database.function("mac_text", (value: unknown) => formatHex(value as Uint8Array));
  }

  close(): void {
    this.#database.close();
  }

  /** Newest first. */
  events(query: EventQuery): { items: StoredEvent[]; nextCursor: number | undefined } {
    const items: StoredEvent[] = [];
    let looked = 0;
    for (const event of this.#candidates(query)) {
      if (looked++ === MOST_LOOKED_AT) return { items, nextCursor: event.id + 1 };
      if (!matches(event, query)) continue;
      if (items.length === query.limit) return { items, nextCursor: items.at(-1)?.id };
      items.push(event);
    }
    return { items, nextCursor: undefined };
  }

  /** Who had an address at a moment, by the last thing that happened to it before. */
  holder(ip: number, at: number): StoredEvent | undefined {
    for (const event of this.#candidates({ ip, to: at, limit: 1 })) {
      if (event.ip !== ip || event.at > at || event.type === "nak") continue;
      const holds = (event.type === "grant" || event.type === "renew") && event.until * 1000 >= at;
      return holds ? event : undefined;
    }
    return undefined;
  }

  leases(query: LeaseQuery): { items: LeaseRecord[]; nextCursor: number | undefined; total: number } {
    const conditions = ["ip BETWEEN ? AND ?"];
    const values: Array<string | number> = [query.range?.first ?? 0, query.range?.last ?? 0xffffffff];
    if (query.states) conditions.push(`state IN (${query.states.map(Number).join(",")})`);
    if (query.text) {
      conditions.push(
        "instr(lower(ip_text(ip) || ' ' || mac_text(mac) || ' ' || coalesce(hostname, '') || ' ' || coalesce(fqdn, '')), lower(?)) > 0",
      );
      values.push(query.text);
    }
    const where = conditions.join(" AND ");
    const { total } = this.#database
      .prepare(`SELECT count(*) AS total FROM lease WHERE ${where}`)
      .get(...values) as {
      total: number;
    };
    const page = this.#database.prepare(
      `SELECT ${LEASE_COLUMNS} FROM lease WHERE ${where} AND ip > ? ORDER BY ip LIMIT ?`,
    );
    page.setReturnArrays(true);
    const rows = page.all(...values, query.cursor ?? -1, query.limit + 1) as unknown as Parameters<
      typeof recordOf
    >[0][];
    const items = rows.slice(0, query.limit).map(recordOf);
    return { items, nextCursor: rows.length > query.limit ? items.at(-1)?.ip : undefined, total };
  }

  lease(ip: number): LeaseRecord | undefined {
    return this.leases({ range: { first: ip, last: ip }, limit: 1 }).items[0];
  }

  *#candidates(query: EventQuery): Generator<StoredEvent> {
    // One view of the tail and of the chunks, however much is written meanwhile.
    this.#database.exec("BEGIN");
    try {
      const before = query.cursor ?? Number.MAX_SAFE_INTEGER;
      const chunks = this.#chunks(query, before);
      const { last } = this.#database
        .prepare("SELECT coalesce(max(last), 0) AS last FROM event_chunk")
        .get() as {
        last: number;
      };
      yield* this.#range(query, last + 1, before - 1);
      const key = keyOf(query);
      for (const chunk of chunks) {
        if (key) yield* this.#filed(chunk, key.kind, key.value, before);
        else yield* this.#range(query, chunk.first, Math.min(chunk.last, before - 1));
      }
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  #chunks(query: EventQuery, before: number): Chunk[] {
    return this.#database
      .prepare(
        "SELECT first, last FROM event_chunk WHERE first < ? AND to_at >= ? AND from_at <= ? ORDER BY first DESC",
      )
      .all(before, query.from ?? 0, query.to ?? Number.MAX_SAFE_INTEGER) as unknown as Chunk[];
  }

  *#range(query: EventQuery, first: number, last: number): Generator<StoredEvent> {
    const narrow = query.ip === undefined ? "" : `AND ip = ${Number(query.ip)}`;
    const rows = this.#database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ${narrow} ORDER BY id DESC`,
    );
    for (const row of rows.iterate(first, last)) yield eventOf(row);
  }

  *#filed(chunk: Chunk, kind: Kind, key: number, before: number): Generator<StoredEvent> {
    const row = this.#database
      .prepare("SELECT entries FROM event_index WHERE chunk = ? AND kind = ? AND slot = ?")
      .get(chunk.first, kind, slotOf(key)) as { entries: Uint8Array } | undefined;
    if (!row) return;
    const byId = this.#database.prepare(`SELECT ${EVENT_COLUMNS} FROM event WHERE id = ?`);
    for (const place of findInSlot(row.entries, key)) {
      const id = chunk.first + place;
      const found = id < before ? byId.get(id) : undefined;
      if (found) yield eventOf(found);
    }
  }
}

function keyOf(query: EventQuery): { kind: Kind; value: number } | undefined {
  if (query.ip !== undefined) return { kind: KIND.ip, value: query.ip };
  if (query.mac !== undefined) return { kind: KIND.mac, value: macHash(query.mac) };
  return undefined;
}

function matches(event: StoredEvent, query: EventQuery): boolean {
  if (query.ip !== undefined && event.ip !== query.ip) return false;
  if (query.mac !== undefined && !sameBytes(event.mac, query.mac)) return false;
  if (query.type !== undefined && event.type !== query.type) return false;
  return event.at >= (query.from ?? 0) && event.at <= (query.to ?? Number.MAX_SAFE_INTEGER);
}

function eventOf(row: Record<string, unknown>): StoredEvent {
  return { ...(row as unknown as StoredEvent), type: EVENT_TYPES[row.type as number] as EventType };
}
