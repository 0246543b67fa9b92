import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { HaState } from "@frontdesk/lease-control-api/ha-states";
import { ipv6Bytes, readIpv6 } from "@frontdesk/lease-options/address";
import { AddressMap } from "@frontdesk/lease-options/address-map";
import { clientName } from "../client-name.ts";
import { type Durable, newDurable } from "../ha/core-state.ts";
import type { OwnedRange, Ownership, Role } from "../ha/ownership.ts";
import type { Plan, PlanAgreement } from "../ha/plan.ts";
import { type Address, type PairPart, STATE } from "../leases/binding.ts";
import type { PairWrite } from "../loop/lease-store.ts";
import { PART, type PartRow, partOf, partRow } from "./pair-part.ts";

/** Rows that are read together. */
const ROWS_AT_ONCE = 2000;

/** What one of a pair of servers keeps, in the file of all leases; the transaction is the caller's. */
export class PairTables {
  readonly #database: DatabaseSync;
  readonly #row: StatementSync;
  readonly #row6: StatementSync;
  readonly #ended: StatementSync;
  readonly #ended6: StatementSync;
  readonly #node: StatementSync;
  readonly #peer: StatementSync;
  readonly #stateBefore: StatementSync;
  readonly #range: StatementSync;
  readonly #noRange: StatementSync;
  #written: Durable | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const sets = `state = ?, until = ?, seen = coalesce(?, seen), seq = ?, ${PART.split(", ")
      .map((column) => `${column} = ?`)
      .join(", ")}`;
    this.#row = database.prepare(`UPDATE lease SET ${sets} WHERE ip = ?`);
    this.#row6 = database.prepare(`UPDATE lease6 SET ${sets} WHERE address = ?`);
    this.#ended = database.prepare(`SELECT 1 FROM lease WHERE ip = ? AND state <> ${STATE.bound}`);
    this.#ended6 = database.prepare(`SELECT 1 FROM lease6 WHERE address = ? AND state <> ${STATE.bound}`);
    this.#node = database.prepare("INSERT OR REPLACE INTO ha_node VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)");
    this.#range = database.prepare("INSERT OR REPLACE INTO ha_range VALUES (?, ?, ?, ?, ?, ?)");
    this.#noRange = database.prepare("DELETE FROM ha_range WHERE family = ? AND first = ?");
    this.#stateBefore = database.prepare("SELECT state FROM ha_node");
    this.#peer = database.prepare(
      "INSERT OR REPLACE INTO ha_peer VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
  }

  /** After the lease itself, when that is written. */
  writeRow({ row, client, seen }: PairWrite, seq: number): void {
    const { address, state, end } = row;
    const part = partRow(row, client);
    if (typeof address === "number") this.#row.run(state, end, seen ?? null, seq, ...part, address);
    else this.#row6.run(state, end, seen ?? null, seq, ...part, ipv6Bytes(address));
  }

  /** Whether a row, of which the peer sends nothing but times, makes a lease run again that had ended here. */
  isResuming({ row: { address, state }, record, keepsState }: PairWrite): boolean {
    if (keepsState || record || state !== STATE.bound) return false;
    const ended =
      typeof address === "number" ? this.#ended.get(address) : this.#ended6.get(ipv6Bytes(address));
    return ended !== undefined;
  }

  /** Whether what is written is another state than the one before, which an earlier process may have written. */
  isEntering({ state }: Durable): boolean {
    const before = this.#written ?? (this.#stateBefore.get() as Pick<Durable, "state"> | undefined);
    return state !== before?.state;
  }

  writeDurable(durable: Durable): void {
    const { ownership, takeover, lost, lead } = durable;
    const { store, epoch, agreed, state, since, lastSeq, handedOver } = durable;
    this.#node.run(store, epoch, agreed, ownership.holder, state, since, lastSeq, handedOver ? 1 : 0);
    this.#peer.run(
      durable.peerStore,
      Number.isFinite(durable.contactAt) ? durable.contactAt : null,
      durable.sentSeq,
      durable.ackedSeq,
      durable.appliedSeq,
      durable.eraSeq,
      takeover?.at ?? null,
      takeover?.clean ? 1 : 0,
      lost?.at ?? null,
      lost?.until ?? null,
      lead.told,
      lead.awaited,
      ownership.usableFrom,
      durable.peerServers.join(" "),
      durable.behind,
      lost?.behind ?? 0,
    );
    if (ownership.ranges !== this.#written?.ownership.ranges) this.#writeRanges(ownership.ranges);
    if (durable.plan !== this.#written?.plan) this.#writePlans(durable.plan);
    this.#written = durable;
  }

  /** A transaction failed: nothing of it is known to be on disk. */
  forgetWritten(): void {
    this.#written = undefined;
  }

  /** The last epoch of any pair that this store was in. */
  get epoch(): number {
    const node = this.#database.prepare("SELECT epoch FROM ha_node").get() as NodeRow | undefined;
    return node?.epoch ?? 0;
  }

  durable(): Durable | undefined {
    const node = this.#database.prepare("SELECT * FROM ha_node").get() as NodeRow | undefined;
    const peer = this.#database.prepare("SELECT * FROM ha_peer").get() as PeerRow | undefined;
    if (!node || !peer) return undefined;
    return {
      ...newDurable(node.store, peer.lead_told),
      epoch: node.epoch,
      agreed: node.agreed,
      state: node.state,
      since: node.since,
      lastSeq: node.last_seq,
      handedOver: node.handed_over === 1,
      ownership: { holder: node.holder, usableFrom: peer.usable_from, ranges: this.#readRanges() },
      peerStore: peer.store,
      contactAt: peer.contact_at ?? Number.NEGATIVE_INFINITY,
      sentSeq: peer.sent_seq,
      ackedSeq: peer.acked_seq,
      appliedSeq: peer.applied_seq,
      eraSeq: peer.era_seq,
      takeover: peer.takeover_at === null ? null : { at: peer.takeover_at, clean: peer.clean === 1 },
      lost:
        peer.lost_at === null
          ? null
          : { at: peer.lost_at, until: peer.lost_until as number, behind: peer.lost_behind },
      behind: peer.behind,
      lead: { told: peer.lead_told, awaited: peer.lead_awaited },
      plan: this.#readPlans(),
      peerServers: peer.server_ids === "" ? [] : peer.server_ids.split(" "),
    };
  }

  /**
   * A server that runs without its peer is no longer the one that the peer knows. The epoch stays: those of its next pair
   * are higher, and a disk that is brought back from this one is seen to be older.
   */
  leave(): void {
    this.#written = undefined;
    for (const table of ["ha_peer", "ha_range", "ha_plan"]) this.#database.exec(`DELETE FROM ${table}`);
    this.#database.exec("UPDATE ha_node SET store = '', agreed = 0, state = 'startup', last_seq = 0");
    const nothing = PART.split(", ").map((column) => `${column} = NULL`);
    for (const table of ["lease", "lease6"]) this.#database.exec(`UPDATE ${table} SET ${nothing.join(", ")}`);
  }

  *pairs(): Generator<readonly [number, PairPart]> {
    const page = this.#database.prepare(
      `SELECT ip, ${PART} FROM lease WHERE ip > ? AND pair_server IS NOT NULL ORDER BY ip LIMIT ${ROWS_AT_ONCE}`,
    );
    page.setReturnArrays(true);
    for (let last = -1; ; ) {
      const rows = page.all(last) as unknown as Array<[number, ...PartRow]>;
      for (const [ip, ...part] of rows) yield [ip, partOf(part)];
      if (rows.length < ROWS_AT_ONCE) return;
      last = rows.at(-1)?.[0] as number;
    }
  }

  *pairs6(): Generator<readonly [bigint, PairPart]> {
    const page = this.#database.prepare(
      `SELECT address, ${PART} FROM lease6 WHERE address > ? AND pair_server IS NOT NULL ORDER BY address LIMIT ${ROWS_AT_ONCE}`,
    );
    page.setReturnArrays(true);
    for (let last: Uint8Array = new Uint8Array(0); ; ) {
      const rows = page.all(last) as unknown as Array<[Uint8Array, ...PartRow]>;
      for (const [address, ...part] of rows) yield [readIpv6(address, 0), partOf(part)];
      if (rows.length < ROWS_AT_ONCE) return;
      last = (rows.at(-1) as [Uint8Array, ...PartRow])[0];
    }
  }

  /** Only what has changed since the last time. */
  #writeRanges(ranges: Ownership["ranges"]): void {
    const before = this.#written?.ownership.ranges ?? [];
    if (!this.#written || ranges.length === 0) this.#database.exec("DELETE FROM ha_range");
    let i = 0;
    for (const range of ranges) {
      for (; i < before.length && (before[i] as OwnedRange).first < range.first; i++) this.#remove(before[i]);
      const known = before[i]?.first === range.first ? before[i++] : undefined;
      if (known !== range) this.#putRange(range);
    }
    if (ranges.length > 0) for (; i < before.length; i++) this.#remove(before[i]);
  }

  #putRange({ first, last, owner, usableFrom, seq }: OwnedRange): void {
    this.#range.run(familyOf(first), octetsOf(first), octetsOf(last), owner, usableFrom, seq);
  }

  #remove(range: OwnedRange | undefined): void {
    if (range) this.#noRange.run(familyOf(range.first), octetsOf(range.first));
  }

  #readRanges(): Ownership["ranges"] {
    const rows = this.#database
      .prepare("SELECT * FROM ha_range ORDER BY family, first")
      .all() as unknown as RangeRow[];
    return rows.map(({ family, first, last, owner, usable_from: usableFrom, seq }) => ({
      first: addressOf(family, first),
      last: addressOf(family, last),
      owner,
      usableFrom,
      seq,
    }));
  }

  #writePlans({ agreed, prepared }: PlanAgreement): void {
    this.#database.exec("DELETE FROM ha_plan");
    const insert = this.#database.prepare("INSERT OR REPLACE INTO ha_plan VALUES (?, ?, ?)");
    for (const plan of prepared) insert.run(plan.hash, 0, textOf(plan));
    if (agreed) insert.run(agreed.hash, 1, textOf(agreed));
  }

  #readPlans(): PlanAgreement {
    const rows = this.#database.prepare("SELECT * FROM ha_plan").all() as unknown as PlanRow[];
    const agreed = rows.find((row) => row.is_agreed === 1);
    return {
      agreed: agreed ? planOf(agreed) : null,
      prepared: rows.filter((row) => row.is_agreed === 0).map(planOf),
    };
  }
}

interface NodeRow {
  store: string;
  epoch: number;
  agreed: number;
  holder: Role;
  state: HaState;
  since: number;
  last_seq: number;
  handed_over: number;
}

interface PeerRow {
  store: string | null;
  contact_at: number | null;
  sent_seq: number | null;
  acked_seq: number;
  applied_seq: number;
  era_seq: number | null;
  takeover_at: number | null;
  clean: number;
  lost_at: number | null;
  lost_until: number | null;
  lead_told: number;
  lead_awaited: number;
  usable_from: number;
  server_ids: string;
  behind: number;
  lost_behind: number;
}

interface RangeRow {
  family: 4 | 6;
  first: Uint8Array;
  last: Uint8Array;
  owner: Role;
  usable_from: number;
  seq: number;
}

interface PlanRow {
  hash: string;
  is_agreed: number;
  plan: string;
}

const familyOf = (address: Address) => (typeof address === "number" ? 4 : 6);
/** Sixteen octets sort as numbers do. */
const octetsOf = (address: Address) => ipv6Bytes(BigInt(address));
const addressOf = (family: 4 | 6, octets: Uint8Array): Address =>
  family === 4 ? Number(readIpv6(octets, 0)) : readIpv6(octets, 0);

const written = (address: Address) => (typeof address === "number" ? address : `${address}`);
const read = (address: number | string): Address => (typeof address === "number" ? address : BigInt(address));

const textOf = ({ pools, reserved, prefixes = [] }: Plan) =>
  JSON.stringify({
    pools: pools.map(({ first, last }) => [written(first), written(last)]),
    reserved: [...reserved].map(([address, client]) => [written(address), client]),
    prefixes: prefixes.map(({ first, last, length }) => [written(first), written(last), length]),
  });

function planOf({ hash, plan }: PlanRow): Plan {
  const {
    pools,
    reserved,
    prefixes = [],
  } = JSON.parse(plan) as {
    pools: Array<[number | string, number | string]>;
    reserved: Array<[number | string, string]>;
    prefixes?: Array<[number | string, number | string, number]>;
  };
  return {
    hash,
    pools: pools.map(([first, last]) => ({ first: read(first), last: read(last) })),
    reserved: new AddressMap(reserved.map(([address, client]) => [read(address), clientName(client)])),
    prefixes: prefixes.map(([first, last, length]) => ({ first: read(first), last: read(last), length })),
  };
}
