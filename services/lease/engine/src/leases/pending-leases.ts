import { sameBytes } from "@frontdesk/lease-options/address";
import { AddressMap } from "@frontdesk/lease-options/address-map";
import { type Address, type Binding, isActive, isFree, NOWHERE, type PoolRange, STATE } from "./binding.ts";
import type { LeaseTable } from "./lease-table.ts";
import type { Across, Own, Scatter } from "./pool-space.ts";

/** Free addresses that are looked at for one that a server of a pair may give. */
const MAX_LOOKED_AT = 1024;

/**
 * The table as it will be when the batch in hand is committed: what the batch has decided lies over
 * the table, which stays as it is. After the commit `apply` carries the changes into the table; if
 * the commit fails, this object is dropped and nothing has happened.
 */
export class PendingLeases<A extends Address, P extends PoolRange<A>> {
  readonly #table: LeaseTable<A, P>;
  readonly #maxOffers: number;
  readonly #onPut: ((binding: Binding<A>) => void) | undefined;
  readonly #changes: Binding<A>[] = [];
  readonly #latest = new AddressMap<A, Binding<A>>();
  /** Addresses that were ever a client's in this batch, by the hash of its identity. */
  readonly #ofClient = new Map<number, A[]>();
  readonly #ports = new Map<string, number>();
  readonly #cursors = new Map<number, { rest: Iterator<Binding<A>>; at: Binding<A> | undefined }>();

  /**
   * With `maxOffers`, offers beyond so many are good within the batch and forgotten with it. `onPut` is told of what is
   * decided, which a failed commit undoes without telling it.
   */
  constructor(
    table: LeaseTable<A, P>,
    maxOffers = Number.POSITIVE_INFINITY,
    onPut?: (binding: Binding<A>) => void,
  ) {
    this.#table = table;
    this.#maxOffers = maxOffers;
    this.#onPut = onPut;
  }

  find(address: A): Binding<A> | undefined {
    const changed = this.#latest.get(address);
    if (changed) return changed.state === STATE.none ? undefined : changed;
    return this.#table.find(address);
  }

  /** What a client has and had on a network, the one that it was given last first. */
  ofClient(identity: Uint8Array, network: number): Binding<A>[] {
    const found = this.#ofClientUnordered(identity, network);
    return found.length > 1 ? found.sort(latestFirst) : found;
  }

  /** The same, and what it has on networks that are gone. */
  ofClientAndGone(identity: Uint8Array, network: number): Binding<A>[] {
    const own = this.ofClient(identity, network);
    const gone = this.ofClient(identity, NOWHERE);
    return gone.length === 0 ? own : [...own, ...gone];
  }

  #ofClientUnordered(identity: Uint8Array, network: number): Binding<A>[] {
    const kept = this.#table.ofClient(identity, network);
    if (this.#changes.length === 0) return kept;
    const touched = this.#ofClient.get(this.#table.identityHash(identity));
    if (!touched && kept.length === 0) return kept;
    const found: Binding<A>[] = [];
    for (const address of touched ?? []) {
      const each = this.#latest.get(address) as Binding<A>;
      const isIts = each.state !== STATE.none && sameBytes(each.identity, identity);
      if (isIts && this.#table.networkOf(address) === network) found.push(each);
    }
    for (const each of kept) if (!this.#latest.has(each.address)) found.push(each);
    return found;
  }

  poolOf(address: A): P | undefined {
    return this.#table.poolOf(address);
  }

  /** An address of the pool that nobody ever had, near the place that `hash` says. */
  unused(
    pool: P,
    hash: number,
    scatter?: Scatter<A>,
    own?: Own<A>,
    overlaps?: (address: A) => Across<A> | undefined,
  ): A | undefined {
    const found = this.#table.unused(
      pool,
      hash,
      (address) => {
        if (this.#latest.has(address)) return address;
        const across = overlaps?.(address);
        if (!across) return true;
        // What the batch itself has decided may not come to pass.
        if (!this.#latest.has(across.first)) this.#table.cover(address, across);
        return across.last;
      },
      scatter,
      own,
    );
    if (found !== undefined) return found;
    for (const { address, state } of this.#latest.values()) {
      if (state !== STATE.none || this.#table.openPoolOf(address) !== pool || overlaps?.(address)) continue;
      if (!own || own.isAllowed(address)) return address;
    }
    return undefined;
  }

  /** The address of a pool that has been free the longest, of those that someone once had and that may be given. */
  longestFree(pool: P, isAllowed?: (address: A) => boolean): Binding<A> | undefined {
    if (isAllowed) return this.#longestAllowed(pool, isAllowed);
    let cursor = this.#cursors.get(pool.index);
    if (!cursor) {
      const rest = this.#table.longFree(pool);
      cursor = { rest, at: rest.next().value };
      this.#cursors.set(pool.index, cursor);
    }
    while (cursor.at && this.#latest.has(cursor.at.address)) cursor.at = cursor.rest.next().value;
    if (cursor.at) return cursor.at;
    // What the batch itself has freed comes last.
    for (const each of this.#latest.values()) {
      if (isFree(each.state) && this.#table.openPoolOf(each.address) === pool) return each;
    }
    return undefined;
  }

  /** Of a pair of servers: what may be given depends on who asks, so that no place is remembered. */
  #longestAllowed(pool: P, isAllowed: (address: A) => boolean): Binding<A> | undefined {
    let looked = 0;
    for (const each of this.#table.longFree(pool)) {
      if (this.#latest.has(each.address)) continue;
      if (isAllowed(each.address)) return each;
      if (++looked === MAX_LOOKED_AT) break;
    }
    return undefined;
  }

  /** How many addresses a port holds. */
  portUse(port: string): number {
    return this.#table.portUse(port) + (this.#ports.get(port) ?? 0);
  }

  put(binding: Binding<A>): void {
    const before = this.find(binding.address);
    const [left, taken] = [portOf(before), portOf(binding)];
    if (left !== taken && this.#table.networkOf(binding.address) !== NOWHERE) {
      this.#countPort(left, -1);
      this.#countPort(taken, 1);
    }
    // An identity may lie in the table's own memory, which changes before this binding's turn comes.
    const kept = { ...binding, identity: binding.identity.slice() };
    this.#changes.push(kept);
    this.#onPut?.(kept);
    // In the order of the last change, as the table's lists will be.
    this.#latest.delete(kept.address);
    this.#latest.set(kept.address, kept);
    const hash = this.#table.identityHash(kept.identity);
    const known = this.#ofClient.get(hash);
    if (!known) this.#ofClient.set(hash, [kept.address]);
    else if (!known.includes(kept.address)) known.push(kept.address);
  }

  /** How much has been decided so far, for `rollBackTo`. */
  get savepoint(): number {
    return this.#changes.length;
  }

  /** Forgets what was decided after a savepoint. */
  rollBackTo(savepoint: number): void {
    if (savepoint === this.#changes.length) return;
    const kept = this.#changes.slice(0, savepoint);
    this.#changes.length = 0;
    this.#latest.clear();
    this.#ofClient.clear();
    this.#ports.clear();
    this.#cursors.clear();
    for (const binding of kept) this.put(binding);
  }

  /** Carries everything into the table; the batch is on disk. */
  apply(): void {
    for (const binding of this.#changes) if (!this.#isTooMuch(binding)) this.#table.put(binding);
  }

  #isTooMuch({ state, address }: Binding<A>): boolean {
    if (state !== STATE.offered || this.#table.offered < this.#maxOffers) return false;
    return this.#table.find(address)?.state !== STATE.offered;
  }

  #countPort(port: string, by: number): void {
    if (port !== "") this.#ports.set(port, (this.#ports.get(port) ?? 0) + by);
  }
}

const portOf = <A extends Address>(binding: Binding<A> | undefined) =>
  binding && isActive(binding.state) ? binding.port : "";

/** The address decides between those of one second, so that a restart changes nothing. */
const latestFirst = <A extends Address>(a: Binding<A>, b: Binding<A>) =>
  b.starts - a.starts || b.until - a.until || (a.address < b.address ? -1 : 1);
