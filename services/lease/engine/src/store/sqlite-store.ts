import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { CHUNK, KIND, macHash, packChunk } from "./event-index.ts";
import {
  EVENT_TYPES,
  type LeaseBrief,
  type LeaseEvent,
  type LeaseRecord,
  type LeaseStore,
  type LeaseWrite,
} from "./lease-store.ts";
import { BUSY_MS, openForWriting } from "./schema.ts";

const TYPE_NUMBER = Object.fromEntries(EVENT_TYPES.map((type, i) => [type, i]));
/** A WAL beyond this is given back to the file system. */
const MAX_WAL_BYTES = 256 * 1024 * 1024;
/** Rows of one retention step: few enough that no packet waits for it. */
const PRUNE_ROWS = 2000;

const COLUMNS =
  "ip, state, htype, mac, client_id, hostname, fqdn, vendor, classes, starts, until, seen, giaddr, circuit_id, remote_id, nonce";

/** The leases and their history in one SQLite file; one transaction per commit. */
export class SqliteStore implements LeaseStore {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #put: StatementSync;
  readonly #mark: StatementSync;
  readonly #remove: StatementSync;
  readonly #find: StatementSync;
  readonly #event: StatementSync;
  readonly #chunk: StatementSync;
  readonly #index: StatementSync;
  /** The keys of the events that no chunk holds yet. */
  readonly #ips = new Uint32Array(CHUNK);
  readonly #macs = new Uint32Array(CHUNK);
  #gathered = 0;
  #gatheredFrom = 0;
  #lastId: number;

  constructor(path: string) {
    this.path = path;
    const database = openForWriting(path);
    this.#database = database;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO lease (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#mark = database.prepare("UPDATE lease SET state = ?, until = ? WHERE ip = ?");
    this.#remove = database.prepare("DELETE FROM lease WHERE ip = ?");
    this.#find = database.prepare(`SELECT ${COLUMNS} FROM lease WHERE ip = ?`);
    this.#find.setReturnArrays(true);
    this.#event = database.prepare(
      "INSERT INTO event (id, at, type, ip, mac, client_id, hostname, giaddr, circuit_id, remote_id, until, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.#chunk = database.prepare(
      "INSERT INTO event_chunk (first, last, from_at, to_at) VALUES (?, ?, ?, ?)",
    );
    this.#index = database.prepare(
      "INSERT INTO event_index (chunk, kind, slot, entries) VALUES (?, ?, ?, ?)",
    );
    this.#lastId = this.#gatherAgain();
  }

  commit(writes: readonly LeaseWrite[], events: readonly LeaseEvent[]): void {
    const before = { id: this.#lastId, gathered: this.#gathered, from: this.#gatheredFrom };
    this.#begin.run();
    try {
      for (const write of writes) this.#write(write);
      for (const event of events) this.#append(event);
      this.#commit.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#rollback.run();
      this.#lastId = before.id;
      // A chunk that was closed in between is gathered again.
      if (this.#gathered < before.gathered) this.#gatherAgain();
      else this.#gathered = before.gathered;
      this.#gatheredFrom = before.from;
      throw error;
    }
  }

  find(ip: number): LeaseRecord | undefined {
    const found = this.#find.get(ip) as unknown as Row | undefined;
    return found && recordOf(found);
  }

  *all(): Generator<LeaseBrief> {
    const rows = this.#database.prepare("SELECT ip, state, htype, mac, client_id, starts, until FROM lease");
    rows.setReturnArrays(true);
    for (const row of rows.iterate() as Iterable<unknown>) {
      const [ip, state, htype, mac, clientId, starts, until] = row as BriefRow;
      yield { ip, state, htype, mac, clientId, starts, until };
    }
  }

  /** Takes away a little of what is older than `before`; answers whether there may be more. */
  prune(before: number): boolean {
    const oldest = this.#database
      .prepare("SELECT first, last FROM event_chunk WHERE to_at < ? ORDER BY first LIMIT 1")
      .get(before) as { first: number; last: number } | undefined;
    if (!oldest) return false;
    this.#begin.run();
    const { changes } = this.#database
      .prepare("DELETE FROM event WHERE id IN (SELECT id FROM event WHERE id <= ? ORDER BY id LIMIT ?)")
      .run(oldest.last, PRUNE_ROWS);
    if (Number(changes) < PRUNE_ROWS) {
      this.#database.prepare("DELETE FROM event_index WHERE chunk = ?").run(oldest.first);
      this.#database.prepare("DELETE FROM event_chunk WHERE first = ?").run(oldest.first);
    }
    this.#commit.run();
    return true;
  }

  /** Checkpoints what is left and restarts the WAL; while someone reads from it, it goes on as it is. */
  restartWal(): void {
    const size = statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    this.#database.exec("PRAGMA busy_timeout = 0");
    try {
      this.#database.exec(`PRAGMA wal_checkpoint(${size > MAX_WAL_BYTES ? "TRUNCATE" : "RESTART"})`);
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
  }

  close(): void {
    // Closing checkpoints by itself; on a full disk the WAL stays and the next start reads it.
    this.#database.close();
  }

  #write(write: LeaseWrite): void {
    if (write.kind === "mark") this.#mark.run(write.state, write.until, write.ip);
    else if (write.kind === "remove") this.#remove.run(write.ip);
    else {
      const { lease } = write;
      this.#put.run(
        lease.ip,
        lease.state,
        lease.htype,
        lease.mac,
        lease.clientId,
        lease.hostname,
        lease.fqdn,
        lease.vendor,
        lease.classes,
        lease.starts,
        lease.until,
        lease.seen,
        lease.giaddr,
        lease.circuitId,
        lease.remoteId,
        lease.nonce,
      );
    }
  }

  #append(event: LeaseEvent): void {
    const id = ++this.#lastId;
    this.#event.run(
      id,
      event.at,
      TYPE_NUMBER[event.type] as number,
      event.ip,
      event.mac,
      event.clientId,
      event.hostname,
      event.giaddr,
      event.circuitId,
      event.remoteId,
      event.until,
      event.detail,
    );
    if (this.#gathered === 0) this.#gatheredFrom = event.at;
    this.#ips[this.#gathered] = event.ip;
    this.#macs[this.#gathered] = macHash(event.mac);
    this.#gathered++;
    if (this.#gathered === CHUNK) this.#closeChunk(id, event.at);
  }

  #closeChunk(last: number, at: number): void {
    const first = last - CHUNK + 1;
    this.#chunk.run(first, last, this.#gatheredFrom, at);
    for (const [slot, entries] of packChunk(this.#ips, CHUNK)) this.#index.run(first, KIND.ip, slot, entries);
    for (const [slot, entries] of packChunk(this.#macs, CHUNK))
      this.#index.run(first, KIND.mac, slot, entries);
    this.#gathered = 0;
  }

  /** Reads the events after the last chunk, and answers with the last id. */
  #gatherAgain(): number {
    const { last } = this.#database
      .prepare("SELECT coalesce(max(last), 0) AS last FROM event_chunk")
      .get() as {
      last: number;
    };
    this.#gathered = 0;
    let id = last;
    const tail = this.#database.prepare("SELECT id, ip, mac, at FROM event WHERE id > ? ORDER BY id");
    for (const row of tail.iterate(last) as Iterable<unknown>) {
      const event = row as { id: number; ip: number; mac: Uint8Array; at: number };
      if (this.#gathered === 0) this.#gatheredFrom = event.at;
      this.#ips[this.#gathered] = event.ip;
      this.#macs[this.#gathered] = macHash(event.mac);
      this.#gathered++;
      id = event.id;
    }
    return id;
  }
}

type BriefRow = [number, LeaseRecord["state"], number, Uint8Array, Uint8Array | null, number, number];

type Row = [
  number,
  LeaseRecord["state"],
  number,
  Uint8Array,
  Uint8Array | null,
  string | null,
  string | null,
  string | null,
  string | null,
  number,
  number,
  number,
  number,
  Uint8Array | null,
  Uint8Array | null,
  Uint8Array | null,
];

export function recordOf(row: Row): LeaseRecord {
  const [
    ip,
    state,
    htype,
    mac,
    clientId,
    hostname,
    fqdn,
    vendor,
    classes,
    starts,
    until,
    seen,
    giaddr,
    circuitId,
    remoteId,
    nonce,
  ] = row;
  return {
    ip,
    state,
    htype,
    mac,
    clientId,
    hostname,
    fqdn,
    vendor,
    classes,
    starts,
    until,
    seen,
    giaddr,
    circuitId,
    remoteId,
    nonce,
  };
}

export const LEASE_COLUMNS = COLUMNS;
