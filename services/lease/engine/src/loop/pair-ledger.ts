import { AddressMap, AddressSet } from "@frontdesk/lease-options/address-map";
import type { ChangeQueue } from "../ha/change-queue.ts";
import type { Ledger } from "../ha/ledger.ts";
import type { AddressRange } from "../ha/ownership.ts";
import { isEnded, isPromisedForEver, type Row } from "../ha/row.ts";
import { type Address, type Binding, FOREVER, isActive, isFree, STATE, timeIn } from "../leases/binding.ts";
import type { Batch } from "./batch.ts";
import type { PairWrite } from "./lease-store.ts";
import type { PairedFamily, ReceivedLease } from "./paired-family.ts";

const NOBODY = new Uint8Array(0);
/** A lease of which nobody knows what the peer made of it. */
const UNKNOWN = { server: "primary", known: 0, seq: 0, base: 0 } as const;
/** Of what has fallen due, so many times as much is looked at as may be ended in one turn. */
const LOOKED_AT = 4;

export interface Families {
  readonly v4: PairedFamily<number>;
  readonly v6: PairedFamily<bigint> | undefined;
}

/** What a lease's client is known by to the pair, unless it has a name there. */
export const nameOf = (identity: Uint8Array) =>
  Buffer.from(identity.buffer, identity.byteOffset, identity.length).toString("hex");

const HEX = "0123456789abcdef";

/** Whether a client is known by that identity. Of a full resync this is asked a million times, and nothing is made for it. */
export function isNameOf(client: string, identity: Uint8Array): boolean {
  if (client.length !== 2 * identity.length) return false;
  for (let i = 0; i < identity.length; i++) {
    const octet = identity[i] as number;
    if (client[2 * i] !== HEX[octet >> 4] || client[2 * i + 1] !== HEX[octet & 15]) return false;
  }
  return true;
}

/** The rows of the pair over the table of leases, with what the batch in hand has made of them. */
export class PairLedger implements Ledger {
  readonly #batch: Batch;
  readonly #families: Families;
  readonly #queue: ChangeQueue;
  /** Numbers up to this one are in the queue already. */
  readonly #lastSeq: number;
  /** Engine time minus the time of the pair, seconds: the table counts in the one, rows in the other. */
  readonly #shift: number;
  readonly #rows = new AddressMap<Address, Row>();
  /** Rows from before the batch that were looked at; null: there is none. */
  readonly #cache = new AddressMap<Address, Row | null>();
  readonly #bindings = new AddressMap<Address, Binding<Address>>();
  readonly #changed: Array<{ readonly seq: number; readonly address: Address }> = [];
  /** Numbers that rows had before the batch changed them. */
  readonly #replaced: number[] = [];
  readonly writes = new AddressMap<Address, PairWrite>();
  /** Leases that came with messages of the peer, by their octets. */
  readonly received = new Map<Uint8Array, ReceivedLease<Address>>();
  clears = false;
  /** The batch has decided the change that is put: lease and history are written by it. */
  isOwn = false;

  constructor(batch: Batch, families: Families, queue: ChangeQueue, lastSeq: number, shift: number) {
    this.#batch = batch;
    this.#families = families;
    this.#queue = queue;
    this.#lastSeq = lastSeq;
    this.#shift = shift;
  }

  find(address: Address): Row | undefined {
    const put = this.#rows.get(address);
    if (put || this.clears) return put;
    const cached = this.#cache.get(address);
    if (cached !== undefined) return cached ?? undefined;
    const binding = this.#kept(address);
    const row = binding && this.#rowOf(binding);
    this.#cache.set(address, row ?? null);
    return row;
  }

  /** Who had the address before the batch decided anything, or has it by what the peer sent. */
  holderOf(address: Address): Uint8Array | undefined {
    return this.#bindings.get(address)?.identity ?? (this.clears ? undefined : this.#kept(address)?.identity);
  }

  put(row: Row): void {
    const { address, client, server, promise, seq, base } = row;
    const known = this.find(address);
    const replaced = known?.seq;
    const family = this.#family(address);
    if (!family) return;
    const before = this.#bindings.get(address) ?? (this.clears ? undefined : this.#kept(address));
    const lease = row.details.length > 0 ? this.#leaseOf(family, row) : undefined;
    const binding = lease?.binding ?? this.#changedBinding(family, row, before);
    if (!binding) return;
    const part = { server, promise, known: row.known, seq, base };
    // What is kept of a lease that became a quarantine still tells of its client.
    const isQuarantine = client === "" && !lease && !this.isOwn;
    const named = isNameOf(client, binding.identity) && !isQuarantine ? null : client;
    if (lease) family.tell(this.#batch, before ?? family.cleared(address), lease);
    else if (!this.isOwn && row.state === STATE.expired && before && !isFree(before.state))
      family.end(this.#batch, before);
    const kept = { ...binding, pair: { ...part, client: named } };
    family.pending(this.#batch).put(kept);
    this.#rows.set(address, lease ? { ...row, details: NOBODY } : row);
    this.#bindings.set(address, kept);
    // What the peer has sent of it earlier in the batch is still to be written.
    const earlier = this.writes.get(address);
    const record = lease?.record ?? earlier?.record;
    // What the batch decides of a lease that the peer makes run again may say nothing of that.
    const keepsState =
      (this.isOwn || before?.state === row.state) && (earlier === undefined || earlier.keepsState === true);
    const isRenewed = !lease && !this.isOwn && known !== undefined && isLonger(row, known);
    const seen = isRenewed ? this.#batch.now : lease ? undefined : earlier?.seen;
    const end = this.#untilOf(row);
    this.writes.set(address, {
      row: end === row.end ? row : { ...row, end },
      client: named,
      record,
      seen,
      keepsState,
    });
    if (seq > this.#lastSeq && seq !== replaced) this.#changed.push({ seq, address });
    if (replaced !== undefined && replaced > 0 && replaced !== seq) this.#replaced.push(replaced);
  }

  changedAfter(seq: number, limit: number, last = Number.POSITIVE_INFINITY): Row[] {
    const found: Row[] = [];
    const take = (entry: { readonly seq: number; readonly address: Address }) => {
      if (entry.seq <= seq || entry.seq > last) return;
      const row = this.find(entry.address);
      if (row?.seq === entry.seq) found.push(row);
    };
    for (const entry of this.clears ? [] : this.#queue.between(seq, last)) {
      if (found.length >= limit) return found;
      take(entry);
    }
    for (const entry of this.#changed) {
      if (found.length >= limit) return found;
      take(entry);
    }
    return found;
  }

  pageAfter(address: Address | undefined, limit: number): Row[] {
    const { v4, v6 } = this.#families;
    const after4 = typeof address === "bigint" ? undefined : v4.addressesAfter(address, limit, this.#batch);
    const after6 =
      v6 && (after4?.length ?? 0) < limit
        ? v6.addressesAfter(typeof address === "bigint" ? address : undefined, limit, this.#batch)
        : [];
    const here = [...this.#rows.keys()].filter((each) => address === undefined || each > address);
    const onDisk = this.clears ? [] : [...(after4 ?? []), ...after6];
    const addresses = [...new AddressSet<Address>([...onDisk, ...here])].sort((a, b) => (a < b ? -1 : 1));
    const rows = addresses.map((each) => this.find(each)).filter((row) => row !== undefined);
    return rows.slice(0, limit);
  }

  dueAt(now: number, limit: number, mayEnd: (row: Row) => boolean): Row[] {
    const { v4, v6 } = this.#families;
    const found = this.#dueOf(v4, now, limit, mayEnd);
    return v6 ? [...found, ...this.#dueOf(v6, now, limit - found.length, mayEnd)] : found;
  }

  #dueOf<A extends Address>(
    { leases }: PairedFamily<A>,
    now: number,
    limit: number,
    mayEnd: (row: Row) => boolean,
  ): Row[] {
    const found: Row[] = [];
    const later: A[] = [];
    let looked = 0;
    for (const { address, state } of leases.due(Math.floor(now + this.#shift))) {
      if (found.length >= limit || looked++ >= limit * LOOKED_AT) break;
      if (state === STATE.offered) continue;
      const row = this.find(address);
      if (row && !isEnded(row) && row.end <= now && mayEnd(row)) found.push(row);
      else later.push(address);
    }
    for (const address of later) leases.postpone(address);
    return found.sort((a, b) => a.end - b.end || (a.address < b.address ? -1 : 1));
  }

  stepOf({ first }: AddressRange): Address {
    return this.#family(first)?.leases.stepOf(first) ?? 1;
  }

  isVast({ first }: AddressRange): boolean {
    return this.#family(first)?.leases.isVast(first) ?? false;
  }

  gapsIn({ first, last }: AddressRange, limit: number): AddressRange[] {
    const family = this.#family(first);
    if (!family) return [];
    const step = BigInt(family.leases.stepOf(first));
    const taken = new AddressSet<Address>(this.#rows.keys());
    for (const { address } of family.leases.all()) taken.add(address);
    const within = [...taken].filter((each) => each >= first && each <= last).map(BigInt);
    within.sort((a, b) => (a < b ? -1 : 1));
    const gaps: Array<{ first: bigint; last: bigint }> = [];
    let from = BigInt(first);
    for (const address of [...within, BigInt(last) + step]) {
      if (address - step >= from) gaps.push({ first: from, last: address - step });
      from = address + step;
    }
    return gaps.sort((a, b) => (a.last - a.first < b.last - b.first ? 1 : -1)).slice(0, limit);
  }

  /** As the table is; what the batch has changed is looked at when an address is given. */
  countFree({ first, last }: AddressRange): number {
    const leases = this.#family(first)?.leases;
    if (!leases?.isVast(first)) return leases?.countFree(first, last) ?? 0;
    return Number((BigInt(last) - BigInt(first)) / leases.stepOf(first)) + 1;
  }

  *freeFromEnd({ first, last }: AddressRange): Generator<Address> {
    const family = this.#family(first);
    const pending = family?.pending(this.#batch);
    for (const address of family?.leases.freeUpTo(first, last) ?? []) {
      const binding = pending?.find(address);
      if (!binding || isFree(binding.state)) yield address;
    }
  }

  latestPromise(): number {
    const { v4, v6 } = this.#families;
    let latest = Math.max(v4.leases.latestPromise, v6?.leases.latestPromise ?? 0);
    for (const { promise } of this.#rows.values()) {
      if (promise !== FOREVER) latest = Math.max(latest, promise);
    }
    return latest;
  }

  promisedForEver(): Row[] {
    const { v4, v6 } = this.#families;
    const onDisk = this.clears
      ? []
      : [v4, ...(v6 ? [v6] : [])].flatMap(({ leases }) => [...leases.promisedForEver()]);
    const addresses = new AddressSet<Address>([...onDisk, ...this.#rows.keys()]);
    return [...addresses]
      .map((each) => this.find(each))
      .filter((row) => row !== undefined && isPromisedForEver(row)) as Row[];
  }

  clear(): void {
    const { v4, v6 } = this.#families;
    for (const family of [v4, v6] as ReadonlyArray<PairedFamily<Address> | undefined>) {
      if (!family) continue;
      const pending = family.pending(this.#batch);
      for (const binding of family.leases.all()) pending.put({ ...binding, state: STATE.none });
      for (const [address, binding] of this.#bindings) {
        if (this.#family(address) === family) pending.put({ ...binding, state: STATE.none });
      }
    }
    this.clears = true;
    this.#rows.clear();
    this.#bindings.clear();
    this.#changed.length = 0;
    this.#replaced.length = 0;
    this.writes.clear();
  }

  takeBack(): Row[] {
    const { v4, v6 } = this.#families;
    const held = [...v4.takeBack(this.#batch), ...(v6?.takeBack(this.#batch) ?? [])];
    return held
      .filter(({ address }) => this.find(address) === undefined)
      .map(({ address, identity, state, until, details, client: named }) => {
        const end = timeIn(until, -this.#shift);
        const client = state === STATE.declined ? "" : (named ?? nameOf(identity));
        return { ...UNKNOWN, address, client, state, end, promise: end, details };
      });
  }

  /** The batch is on disk. */
  apply(at: number): void {
    if (this.clears) this.#queue.clear();
    for (const { seq, address } of this.#changed) this.#queue.add({ seq, address, at });
    for (const seq of this.#replaced) this.#queue.retire(seq);
  }

  #family(address: Address): PairedFamily<Address> | undefined {
    const { v4, v6 } = this.#families;
    return (typeof address === "number" ? v4 : v6) as unknown as PairedFamily<Address> | undefined;
  }

  /** As it was before the batch; an offer is left out. */
  #kept(address: Address): Binding<Address> | undefined {
    const leases = this.#family(address)?.leases;
    const binding = leases?.find(address);
    if (binding?.state !== STATE.offered) return binding;
    return leases?.pairOf(address) ? this.#family(address)?.onDisk(address) : undefined;
  }

  #rowOf(binding: Binding<Address>): Row | undefined {
    const { address, state, until } = binding;
    const part = this.#family(address)?.leases.pairOf(address);
    if (!part) return undefined;
    const { server, client, promise, known, seq, base } = part;
    const name = state === STATE.declined ? "" : (client ?? nameOf(binding.identity));
    return {
      address,
      client: name,
      state,
      server,
      end: timeIn(until, -this.#shift),
      promise,
      known,
      seq,
      base,
      details: NOBODY,
    };
  }

  #untilOf({ end }: Row): number {
    return timeIn(end, this.#shift);
  }

  #leaseOf(family: PairedFamily<Address>, row: Row): ReceivedLease<Address> {
    const lease = this.received.get(row.details) ?? family.received(row);
    const { binding, record } = lease;
    const { state } = row;
    const until = this.#untilOf(row);
    // Not later than now: at its next start this node takes the newest for its own time, which the peer's is not.
    const seen = Math.min(record.seen, this.#batch.now);
    if (binding.state === state && binding.until === until && record.seen === seen) return lease;
    const kept = { ...record, state, until, seen };
    return { binding: { ...binding, state, until }, record: kept };
  }

  #changedBinding(
    family: PairedFamily<Address>,
    row: Row,
    before: Binding<Address> | undefined,
  ): Binding<Address> | undefined {
    const { address, state, client } = row;
    const until = this.#untilOf(row);
    if (this.isOwn) {
      const decided = family.pending(this.#batch).find(address);
      return decided && { ...decided, until };
    }
    if (!before) return undefined;
    const identity = client === "" ? NOBODY : before.identity;
    const port = isActive(state) ? before.port : "";
    return { ...before, identity, state, until, port };
  }
}

/**
 * Whether the peer has renewed a lease; what it only sends again is as it was. Where nothing but the promise of an own
 * change is raised, that is for the peer, and no client was heard of.
 */
const isLonger = (row: Row, before: Row) =>
  row.state === STATE.bound &&
  (row.end > before.end || (row.promise > before.promise && (row.seq === 0 || row.seq !== before.seq)));
