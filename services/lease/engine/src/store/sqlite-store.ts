import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { AddressSet } from "@frontdesk/lease-options/address-map";
import type { DeviceNote, LeaseBrief, LeaseRecord, LeaseWrite, StoredLease } from "../leases/lease-record.ts";
import type { Lease6Brief, Lease6Record, Lease6Write, StoredLease6 } from "../leases/lease6-record.ts";
import type { KeptClock } from "../loop/engine-clock.ts";
import type {
  Commit,
  LeaseStore,
  LeaseStore6,
  PairCommit,
  PairWrite,
  ServerIdentity,
} from "../loop/lease-store.ts";
import { ClearedLeases } from "./cleared-leases.ts";
import { EventLog } from "./event-log.ts";
import {
  BRIEF_COLUMNS,
  type BriefRow,
  briefOf,
  LEASE_COLUMNS,
  type LeaseRow,
  leaseOf,
  rowOf,
} from "./lease-rows.ts";
import { Lease6Table } from "./lease6-table.ts";
import { NameOutbox } from "./name-outbox.ts";
import { PART, PART_COLUMNS, partRow } from "./pair-part.ts";
import { PairTables } from "./pair-tables.ts";
import { BUSY_MS, openForWriting } from "./schema.ts";

/** A WAL beyond this is given back to the file system. */
const MAX_WAL_BYTES = 256 * 1024 * 1024;
/** What the transaction of a large batch takes. */
const BATCH_BYTES = 1024 * 1024;

/** Leases that are read together: a row at a time would take a third longer. */
const ROWS_AT_ONCE = 2000;

const marks = (columns: readonly string[]) => columns.map(() => "?").join(", ");
/** What a relay says stays when a message did not pass one. */
const KEPT_PAST_RELAY = new Set(["ip", "giaddr", "circuit_id", "remote_id", "relay_agent", "interface"]);

const NO_DEVICE = new Uint8Array(0);
const NOTE = "mac, note, dns_name AS dnsName, changed";

/** A lease that came with a row, as later rows of the same batch have made it. */
function asIn<L extends LeaseRecord | Lease6Record>(
  { state, end }: PairWrite["row"],
  seen: number | undefined,
  lease: L,
): L {
  if (lease.state === state && lease.until === end && seen === undefined) return lease;
  return { ...lease, state, until: end, seen: seen ?? lease.seen };
}

/** Whether a batch has decided something of an address. */
type IsDecided = (address: number | bigint) => boolean;

function decidedIn(writes: readonly LeaseWrite[], writes6: readonly Lease6Write[]): IsDecided {
  if (writes.length + writes6.length === 0) return () => false;
  const decided = new AddressSet<number | bigint>();
  for (const write of writes) decided.add(write.kind === "put" ? write.lease.ip : write.ip);
  for (const write of writes6) decided.add(write.kind === "put" ? write.lease.address : write.address);
  return (address) => decided.has(address);
}

/** The leases and their history in one SQLite file; one transaction per commit. */
export class SqliteStore implements LeaseStore, LeaseStore6 {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #put: StatementSync;
  readonly #putPastRelay: StatementSync;
  readonly #renew: StatementSync;
  readonly #mark: StatementSync;
  readonly #remove: StatementSync;
  readonly #find: StatementSync;
  readonly #page: StatementSync;
  readonly #putReceived: StatementSync;
  readonly #leases6: Lease6Table;
  /** Of one of a pair of servers. */
  readonly pair: PairTables;
  /** What a node held before it began anew with the leases of its peer. */
  readonly cleared: ClearedLeases;
  /** Names on their way to DNS. */
  readonly names: NameOutbox;
  readonly #clock: StatementSync;
  readonly #seq: StatementSync;
  readonly #events: EventLog;
  #lastSeq: number;
  /** When a lease was last seen before the store was opened, seconds. */
  readonly #lastSeen: number;

  constructor(path: string) {
    this.path = path;
    const database = openForWriting(path);
    this.#database = database;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
    const insert = `INTO lease (${LEASE_COLUMNS.join(", ")}) VALUES (${marks(LEASE_COLUMNS)})`;
    this.#put = database.prepare(`INSERT OR REPLACE ${insert}`);
    const changed = LEASE_COLUMNS.filter((column) => !KEPT_PAST_RELAY.has(column));
    this.#putPastRelay = database.prepare(
      `INSERT ${insert} ON CONFLICT (ip) DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    );
    this.#renew = database.prepare(
      "UPDATE lease SET until = ?, seen = ?, nonce = ?, renewals = renewals + 1, seq = ? WHERE ip = ?",
    );
    this.#mark = database.prepare("UPDATE lease SET state = ?, until = ?, told = ?, seq = ? WHERE ip = ?");
    this.#remove = database.prepare("DELETE FROM lease WHERE ip = ?");
    this.#find = database.prepare(`SELECT ${LEASE_COLUMNS.join(", ")} FROM lease WHERE ip = ?`);
    this.#find.setReturnArrays(true);
    this.#page = database.prepare(
      `SELECT ${LEASE_COLUMNS.join(", ")} FROM lease WHERE ip > ? ORDER BY ip LIMIT ?`,
    );
    this.#page.setReturnArrays(true);
    this.#putReceived = database.prepare(
      `INSERT OR REPLACE INTO lease (${LEASE_COLUMNS.join(", ")}, ${PART}) VALUES (${marks(LEASE_COLUMNS)}${", ?".repeat(PART_COLUMNS)})`,
    );
    this.#leases6 = new Lease6Table(database);
    this.pair = new PairTables(database);
    this.cleared = new ClearedLeases(database);
    this.names = new NameOutbox(database);
    this.#clock = database.prepare(
      "UPDATE clock SET offset = ?, boot_id = ?, boot_time = ?, replay_ahead = ?",
    );
    this.#seq = database.prepare("UPDATE lease_seq SET last = ?");
    // Every lease is looked at for this: once, where there may be a million.
    const { seq, seen } = database
      .prepare("SELECT coalesce(max(seq), 0) AS seq, coalesce(max(seen), 0) AS seen FROM lease")
      .get() as { seq: number; seen: number };
    const newest6 = this.#leases6.newest();
    const lastRemoved = this.#number("SELECT last AS number FROM lease_seq");
    this.#lastSeq = Math.max(seq, newest6.seq, lastRemoved);
    this.#lastSeen = Math.max(seen, newest6.seen);
    this.#events = new EventLog(database);
  }

  commit({ writes, writes6 = [], events, notes, names = [], clock, pair }: Commit): void {
    const [lastEvent, lastSeq] = [this.#events.last, this.#lastSeq];
    try {
      this.#transaction(() => {
        if (pair?.clears) this.#clear();
        const isDecided = decidedIn(writes, writes6);
        if (pair) this.#writeReceived(pair, isDecided);
        for (const write of writes) {
          this.#write(write);
          this.names.follow(write);
        }
        for (const write of writes6) {
          this.#leases6.write(write, ++this.#lastSeq);
          this.names.follow6(write);
          if (write.kind === "remove") this.#seq.run(this.#lastSeq);
        }
        if (pair) this.#writePair(pair, isDecided);
        for (const event of events) this.#events.append(event);
        for (const note of notes) this.#keepNote(note);
        for (const result of names) this.names.settle(result);
        if (clock) this.#clock.run(clock.offset, clock.bootId, clock.bootTime, clock.replayAhead);
      });
    } catch (error) {
      this.#lastSeq = lastSeq;
      this.pair.forgetWritten();
      if (events.length > 0) this.#events.goBackTo(lastEvent);
      throw error;
    }
  }

  /**
   * Nothing of a pair is kept any more; where nothing was, nothing is written. Where it was receiving everything, leases
   * that it held itself run on.
   */
  leavePair(): void {
    const durable = this.pair.durable();
    if (!durable) return;
    let last = this.#lastSeq;
    this.#transaction(() => {
      if (durable.state === "recover") last = this.cleared.takeBack(last);
      this.pair.leave();
      this.names.takeOver();
    });
    this.#lastSeq = last;
    this.cleared.look();
  }

  /** After what people say of its device has changed. */
  refreshNames(address: number | bigint, device: Uint8Array): void {
    this.#transaction(() => this.names.refresh(address, device));
  }

  /** After the other server of a pair has told what people say of devices there. */
  adoptNames(
    devices: ReadonlyArray<{ readonly mac: Uint8Array; readonly address: number | bigint | null }>,
  ): void {
    this.#transaction(() => {
      for (const { mac, address } of devices) this.names.refresh(address, mac);
    });
  }

  /** What became of leases that were cleared is told; those that nobody has any more leave DNS. */
  forgetCleared(told: ReadonlyArray<number | bigint>, gone: ReadonlyArray<number | bigint>): void {
    this.#transaction(() => {
      this.cleared.forget(told);
      for (const address of gone) this.names.refresh(address, NO_DEVICE);
    });
  }

  /** Compares a few names with what the policy wants; answers whether there may be more. */
  reconcileNames(): boolean {
    return this.names.reconcile((work) => this.#transaction(work));
  }

  tryWriting(): void {
    this.#transaction(() => {
      this.#database.prepare("INSERT OR REPLACE INTO room VALUES (1, zeroblob(?))").run(BATCH_BYTES);
    });
    this.#transaction(() => {
      this.#database.exec("DELETE FROM room");
    });
  }

  note(mac: Uint8Array): DeviceNote | undefined {
    return this.#database.prepare(`SELECT ${NOTE} FROM device WHERE mac = ?`).get(mac) as unknown as
      | DeviceNote
      | undefined;
  }

  /** What people say of devices, in the order of their hardware addresses. */
  notesAfter(mac: Uint8Array, limit: number): DeviceNote[] {
    return this.#database
      .prepare(`SELECT ${NOTE} FROM device WHERE mac > ? ORDER BY mac LIMIT ?`)
      .all(mac, limit) as unknown as DeviceNote[];
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  find(ip: number): StoredLease | undefined {
    const found = this.#find.get(ip) as unknown as LeaseRow | undefined;
    return found && leaseOf(found);
  }

  /** Leases above an address, in the order of addresses; from the first one on without an address. */
  leasesAfter(ip: number | undefined, limit: number): StoredLease[] {
    return (this.#page.all(ip ?? -1, limit) as unknown as LeaseRow[]).map(leaseOf);
  }

  leasesAfter6(address: bigint | undefined, limit: number): StoredLease6[] {
    return this.#leases6.after(address, limit);
  }

  *all(): Generator<LeaseBrief> {
    const page = this.#database.prepare(
      `SELECT ${BRIEF_COLUMNS} FROM lease WHERE ip > ? ORDER BY ip LIMIT ${ROWS_AT_ONCE}`,
    );
    page.setReturnArrays(true);
    for (let last = -1; ; ) {
      const rows = page.all(last) as unknown as BriefRow[];
      for (const row of rows) yield briefOf(row);
      if (rows.length < ROWS_AT_ONCE) return;
      last = rows.at(-1)?.[0] as number;
    }
  }

  find6(address: bigint): StoredLease6 | undefined {
    return this.#leases6.find(address);
  }

  all6(): Iterable<Lease6Brief> {
    return this.#leases6.all();
  }

  serverIdentity(): ServerIdentity {
    return this.#leases6.serverIdentity();
  }

  clock(): KeptClock & { newest: number } {
    const kept = this.#database
      .prepare(
        "SELECT offset, boot_id AS bootId, boot_time AS bootTime, replay_ahead AS replayAhead FROM clock",
      )
      .get() as unknown as KeptClock;
    return { ...kept, newest: this.#lastSeen * 1000 };
  }

  /** Takes away a little of the history; answers whether there may be more. */
  prune(today: number, days: number, most: number): boolean {
    return this.#events.prune(today, days, most, (work) => this.#transaction(work));
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

  #transaction(work: () => void): void {
    this.#begin.run();
    try {
      work();
      this.#commit.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
  }

  #number(query: string): number {
    return (this.#database.prepare(query).get() as { number: number }).number;
  }

  #write(write: LeaseWrite): void {
    const seq = ++this.#lastSeq;
    if (write.kind === "mark") this.#mark.run(write.state, write.until, write.told, seq, write.ip);
    else if (write.kind === "remove") {
      this.#remove.run(write.ip);
      // The row takes its number along: the next start must not give it again.
      this.#seq.run(seq);
    } else if (write.kind === "renew") this.#renew.run(write.until, write.seen, write.nonce, seq, write.ip);
    else {
      const put = write.keepRelay ? this.#putPastRelay : this.#put;
      put.run(...rowOf(write.lease, seq));
    }
  }

  /** A row of the peer brings its whole lease, which comes before what the batch has decided of it. */
  #writeReceived({ writes }: PairCommit, isDecided: IsDecided): void {
    for (const { row, record, client, seen } of writes) {
      if (!record) continue;
      const isWhole = !isDecided(row.address);
      if (typeof row.address === "number") {
        const lease = record as LeaseRecord;
        this.names.adopt(lease);
        if (isWhole) {
          this.#putReceived.run(...rowOf(asIn(row, seen, lease), ++this.#lastSeq), ...partRow(row, client));
        } else this.#write({ kind: "put", lease, keepRelay: false });
      } else {
        const lease = record as Lease6Record;
        this.names.adopt6(lease);
        if (isWhole) {
          this.#leases6.writeReceived(asIn(row, seen, lease), partRow(row, client), ++this.#lastSeq);
        } else this.#leases6.write({ kind: "put", lease }, ++this.#lastSeq);
      }
    }
  }

  /** What the pair keeps of each lease, after the lease itself. */
  #writePair({ writes, durable }: PairCommit, isDecided: IsDecided): void {
    for (const write of writes) {
      // It came with its lease.
      if (write.record && !isDecided(write.row.address)) continue;
      const isResuming = this.pair.isResuming(write);
      this.pair.writeRow(write, ++this.#lastSeq);
      if (isResuming) this.names.refresh(write.row.address, NO_DEVICE);
    }
    if (!durable) return;
    if (durable.state === "partner_down" && this.pair.isEntering(durable)) this.names.takeOver();
    this.pair.writeDurable(durable);
  }

  #clear(): void {
    this.cleared.keep();
    this.#database.exec("DELETE FROM lease; DELETE FROM lease6");
    this.#seq.run(++this.#lastSeq);
  }

  /** What was taken back stays as a row that says nothing: the other server of a pair may still know it. */
  #keepNote({ mac, note, dnsName, changed }: DeviceNote): void {
    this.#database
      .prepare(
        "INSERT INTO device VALUES (?, ?, ?, ?) ON CONFLICT (mac) DO UPDATE SET note = excluded.note, dns_name = excluded.dns_name, changed = excluded.changed WHERE excluded.changed > device.changed",
      )
      .run(mac, note, dnsName, changed);
  }
}
