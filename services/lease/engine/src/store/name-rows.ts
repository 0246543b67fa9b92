import { isIPv6 } from "node:net";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ipv6Bytes, parseIpv6 } from "@frontdesk/lease-options/address";
import {
  type DeviceIdentity,
  type NameHolder,
  type NameRow,
  type NameSide,
  type NameState,
  NOTHING_KEPT,
} from "../leases/dns-name.ts";

/** A row as it is on disk. */
export interface OutboxRow extends NameRow {
  readonly said: string | null;
  /** Of a forward row, see `NameIntent`; `since` is when that client was heard of. */
  readonly holder: Uint8Array | null;
  readonly device: Uint8Array | null;
  readonly since: number;
  readonly state: NameState;
  readonly error: string | null;
  /** Who is asked next; null when nobody is. */
  readonly server: string | null;
  readonly zone: string | null;
}

export const blank = (address: string, side: NameSide): OutboxRow => ({
  address,
  side,
  wanted: null,
  owner: null,
  said: null,
  holder: null,
  device: null,
  since: 0,
  ...NOTHING_KEPT,
  state: "pending",
  error: null,
  server: null,
  zone: null,
  tries: 0,
  seq: 0,
});

export const isSame = (one: unknown, other: unknown) =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.from(one).equals(other) : one === other;

/** Columns, each with its property. */
const COLUMNS: ReadonlyArray<readonly [column: string, property: keyof OutboxRow]> = [
  ["address", "address"],
  ["side", "side"],
  ["wanted", "wanted"],
  ["owner", "owner"],
  ["said", "said"],
  ["holder", "holder"],
  ["device", "device"],
  ["since", "since"],
  ["kept", "kept"],
  ["kept_for", "keptFor"],
  ["kept_dhcid", "keptDhcid"],
  ["kept_at", "keptAt"],
  ["peer_owner", "peerOwner"],
  ["state", "state"],
  ["error", "error"],
  ["server", "server"],
  ["zone", "zone"],
  ["tries", "tries"],
  ["seq", "seq"],
];
export const SELECTED = COLUMNS.map(([column, property]) => `${column} AS ${property}`).join(", ");

/** Finds the rows of the client that has waited longest until a name is free; who waits for it as a suffix is another. */
export function conflictFinder(database: DatabaseSync): (name: string) => OutboxRow[] {
  const waiting = `SELECT ${SELECTED} FROM dns_name WHERE state = 'conflict' AND wanted = ?`;
  const first = database.prepare(`${waiting} ORDER BY seq LIMIT 1`);
  const ofOwner = database.prepare(`${waiting} AND owner IS ? ORDER BY seq`);
  return (name) =>
    [...new Set([name, name.replace(/-[2-9]\./, ".")])].flatMap((wanted) => {
      const found = first.get(wanted) as unknown as OutboxRow | undefined;
      return (found ? ofOwner.all(wanted, found.owner) : []) as unknown as OutboxRow[];
    });
}

/** Of a device, by an index for each family. */
const IS_IPV6 = "(instr(address, ':') > 0)";
export const OWNER_IN_FAMILY = `SELECT owner FROM dns_name WHERE device = ? AND ${IS_IPV6} = ? AND wanted IS NOT NULL ORDER BY seq LIMIT 1`;
const OF_BOTH = `SELECT other.address, other.owner, other.holder, other.device FROM dns_name AS own
  JOIN dns_name AS other ON other.device = own.device AND other.wanted IS NOT NULL
  WHERE own.address = ? AND own.side = 'forward' ORDER BY other.seq LIMIT 8`;
export const OF_DEVICE = `SELECT address FROM dns_name WHERE device = ? AND wanted IS NOT NULL ORDER BY ${IS_IPV6}, seq LIMIT ?`;

/** The rows of the outbox; the transaction is the caller's. */
export class NameRows {
  readonly #find: StatementSync;
  readonly #save: StatementSync;
  readonly #remove: StatementSync;
  readonly #ofHolder: StatementSync;
  readonly #ownerInFamily: StatementSync;
  readonly #ofDevice: StatementSync;
  readonly firstInConflict: (name: string) => OutboxRow[];
  readonly #leave: StatementSync;
  readonly #stay: StatementSync;
  readonly #left: StatementSync;
  readonly #leftBy: StatementSync;
  readonly #addresses: StatementSync;
  readonly #newest: StatementSync;

  constructor(database: DatabaseSync) {
    const names = COLUMNS.map(([column]) => column).join(", ");
    const marks = COLUMNS.map(() => "?").join(", ");
    this.#find = database.prepare(`SELECT ${SELECTED} FROM dns_name WHERE address = ? AND side = ?`);
    this.#save = database.prepare(`INSERT OR REPLACE INTO dns_name (${names}) VALUES (${marks})`);
    this.#remove = database.prepare("DELETE FROM dns_name WHERE address = ? AND side = ?");
    this.#ofHolder = database.prepare(
      `SELECT ${SELECTED} FROM dns_name WHERE holder = ? AND wanted IS NOT NULL AND address <> ?`,
    );
    this.#ownerInFamily = database.prepare(OWNER_IN_FAMILY);
    this.#ofDevice = database.prepare(OF_DEVICE);
    this.firstInConflict = conflictFinder(database);
    this.#leave = database.prepare(
      `INSERT INTO dns_moved VALUES (?, ?)
       ON CONFLICT (address) DO UPDATE SET holder = excluded.holder WHERE holder <> excluded.holder`,
    );
    this.#stay = database.prepare("DELETE FROM dns_moved WHERE address = ?");
    this.#left = database.prepare("SELECT 1 FROM dns_moved WHERE address = ? AND holder IN (?, x'')");
    this.#leftBy = database.prepare("SELECT address FROM dns_moved WHERE holder = ? ORDER BY address");
    this.#addresses = database.prepare(
      "SELECT DISTINCT address FROM dns_name WHERE address > ? ORDER BY address LIMIT ?",
    );
    this.#newest = database.prepare("SELECT coalesce(max(seq), 0) AS seq FROM dns_name");
  }

  find(address: string, side: NameSide): OutboxRow | undefined {
    return this.#find.get(address, side) as unknown as OutboxRow | undefined;
  }

  /** Writes nothing where nothing differs. */
  save(row: OutboxRow): void {
    const known = this.find(row.address, row.side);
    if (known && COLUMNS.every(([, property]) => isSame(known[property], row[property]))) return;
    this.#save.run(...COLUMNS.map(([, property]) => row[property]));
  }

  remove({ address, side }: Pick<OutboxRow, "address" | "side">): void {
    this.#remove.run(address, side);
  }

  /** Other addresses whose names a client has. */
  ofHolder(holder: Uint8Array, but: string): OutboxRow[] {
    return this.#ofHolder.all(holder, but) as unknown as OutboxRow[];
  }

  /** As whom a device has its oldest name in a family; null when it has none there. */
  ownerInFamily(device: Uint8Array, family: 4 | 6): Uint8Array | null {
    const found = this.#ownerInFamily.get(device, family === 6 ? 1 : 0);
    return (found?.owner ?? null) as Uint8Array | null;
  }

  /** Addresses of a device that have names, of both families. */
  ofDevice(device: Uint8Array, limit: number): string[] {
    return this.#ofDevice.all(device, limit).map(({ address }) => String(address));
  }

  /**
   * The name of a client was taken from an address: it has another address, and its lease of this one may still run; or the
   * other server of a pair has ended its lease.
   */
  leave(address: string, holder: Uint8Array): void {
    this.#leave.run(address, holder);
  }

  /** The name is here, or there is no lease any more that could have it. */
  stay(address: string): void {
    this.#stay.run(address);
  }

  /** Whether the name of a client, or of one that is not known, was taken from an address, and none was wanted there since. */
  hasLeft(address: string, holder: Uint8Array): boolean {
    return this.#left.get(address, holder) !== undefined;
  }

  /** Addresses from which the name of a client was taken. */
  leftBy(holder: Uint8Array): string[] {
    return this.#leftBy.all(holder).map(({ address }) => String(address));
  }

  /** Addresses in their order, after the given one. */
  addresses(after: string, limit: number): string[] {
    return this.#addresses.all(after, limit).map(({ address }) => String(address));
  }

  newestSeq(): number {
    return (this.#newest.get() as { seq: number }).seq;
  }
}

const NEXT_ZONE =
  "SELECT min(zone) AS zone FROM dns_name WHERE state = 'pending' AND server = ? AND zone > ?";
const DUE = `SELECT ${SELECTED} FROM dns_name
  WHERE state = 'pending' AND server = ? AND zone = ? ORDER BY tries, seq`;

/**
 * Rows that wait for a server, without those of zones and of intents that rest: a zone that rests may have the names of a
 * whole network, of which none is read. Of the others, those are read that come before what was found so far: there may be
 * hundreds of zones.
 */
export function dueNames(
  database: DatabaseSync,
  {
    server,
    restingZones,
    restingIntents,
    limit,
  }: {
    readonly server: string;
    readonly restingZones: readonly string[];
    readonly restingIntents: readonly number[];
    readonly limit: number;
  },
): NameRow[] {
  const nextZone = database.prepare(NEXT_ZONE);
  const due = database.prepare(DUE);
  const resting = new Set(restingIntents);
  const inOrder = (one: NameRow, other: NameRow) => one.tries - other.tries || one.seq - other.seq;
  let rows: NameRow[] = [];
  const zoneAfter = (zone: string) => (nextZone.get(server, zone) as { zone: string | null }).zone;
  for (let zone = zoneAfter(""); zone !== null; zone = zoneAfter(zone)) {
    if (restingZones.includes(zone)) continue;
    const found: NameRow[] = [];
    for (const row of due.iterate(server, zone) as Iterable<unknown> as Iterable<NameRow>) {
      const last = rows[limit - 1 - found.length];
      if (found.length === limit || (last && inOrder(last, row) < 0)) break;
      if (!resting.has(row.seq)) found.push(row);
    }
    rows = [...rows, ...found].sort(inOrder).slice(0, limit);
  }
  return rows;
}

/** Addresses that have this name in DNS and are to lose it. */
export function leavingAddresses(database: DatabaseSync, name: string): string[] {
  return database
    .prepare("SELECT address FROM dns_name WHERE side = 'forward' AND kept = ? AND wanted IS NULL")
    .all(name)
    .map(({ address }) => String(address));
}

/** The device that has, or had, the name of an address, and as whom it is, or was, known to DHCPv6. */
const KNOWN_AS = `SELECT own.device, lease6.duid FROM dns_name AS own
  JOIN lease6 ON lease6.mac = own.device AND lease6.mac <> x'' WHERE own.address = ?1 AND own.side = 'forward'
  UNION SELECT own.device, lease6.duid FROM dns_name AS own
  JOIN lease6 ON lease6.address = ?2 WHERE own.address = ?1 AND own.side = 'forward' AND own.device IS NOT NULL LIMIT 8`;
export const identitiesAt = (database: DatabaseSync, address: string): DeviceIdentity[] =>
  database
    .prepare(KNOWN_AS)
    .all(
      address,
      isIPv6(address) ? ipv6Bytes(parseIpv6(address) ?? 0n) : null,
    ) as unknown as DeviceIdentity[];

/** Names of the device that has one at an address, as whose they are. */
export const namesBeside = (database: DatabaseSync, address: string): NameHolder[] =>
  database.prepare(OF_BOTH).all(address) as unknown as NameHolder[];
