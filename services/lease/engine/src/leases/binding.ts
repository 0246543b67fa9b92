export const STATE = { none: 0, offered: 1, bound: 2, released: 3, expired: 4, declined: 5 } as const;
export type State = (typeof STATE)[keyof typeof STATE];
export const FOREVER = 0xffffffff;
/** The network of an address that the configuration has no more. */
export const NOWHERE = 0xffff;

/**
 * Whether what ends at a second is over, by milliseconds of the same clock: it may have begun at the end of a second, and
 * is not shortened by the part of it.
 */
export const isOver = (until: number, now: number) => until !== FOREVER && until * 1000 + 999 <= now;

/** When a lease ends that is given now for so many seconds. */
export const endOf = (now: number, seconds: number) =>
  seconds === FOREVER ? FOREVER : Math.min(now + seconds, FOREVER - 1);

/** A time in the other of two clocks, which differ by so many seconds: what has an end keeps one, within 32 bits. */
export const timeIn = (time: number, by: number) =>
  time === FOREVER ? FOREVER : Math.max(0, Math.min(time + by, FOREVER - 1));

/** An IPv4 address is a number, an IPv6 address a bigint (docs/decisions/0012-lease-addresses.md). */
export type Address = number | bigint;

/** What one of a pair of servers keeps beside a lease; `ha/row.ts` says what it means. */
export interface PairPart {
  readonly server: "primary" | "secondary";
  /** What the client is known by to the pair, where that is not its identity. */
  readonly client: string | null;
  readonly promise: number;
  readonly known: number | null;
  readonly seq: number;
  readonly base: number;
}

/** Who has an address. Times are seconds of the engine's clock. */
export interface Binding<A extends Address> {
  readonly address: A;
  /** The octets a client is known by; empty for an address in quarantine. */
  readonly identity: Uint8Array;
  readonly state: State;
  readonly starts: number;
  /** When it ends; for one that was released, when it would have: until then it rests. */
  readonly until: number;
  /** Where the client is attached, a circuit or an interface; empty when it is not known. */
  readonly port: string;
  /** When an event last told of this lease; renewals in between are only counted. */
  readonly told: number;
  /** A hash of what the client said of itself: while it stays the same, a renewal is nothing new. */
  readonly digest: number;
  /** The same of what its relay said of it; 0 when it said nothing. */
  readonly relayDigest: number;
  /** Of IPv6, how long what was given is: of a prefix, its length; of an address, 128. */
  readonly length?: number;
  /** Of a prefix that a renewal made smaller, what its client may believe to have until then. */
  readonly earlier?: { readonly length: number; readonly until: number };
  /** Without it, what was kept of an address stays. */
  readonly pair?: PairPart;
}

export const isFree = (state: State) => state === STATE.released || state === STATE.expired;
/** An address that someone holds, or is about to. */
export const isActive = (state: State) => state === STATE.bound || state === STATE.offered;

/** What the leases room needs to know of a pool. */
export interface PoolRange<A extends Address> {
  /** Its place among all pools of its family. */
  readonly index: number;
  readonly first: A;
  readonly last: A;
  /** Two neighbours are 2^shift apart: 0 for addresses, more for prefixes, which stand for all their addresses. */
  readonly shift?: number;
  /** In order, and apart from each other. */
  readonly excluded: ReadonlyArray<{ readonly first: A; readonly last: A }>;
}

/** Which addresses there are to give, and which network each belongs to. */
export interface AddressPlan<A extends Address, P extends PoolRange<A>> {
  readonly pools: readonly P[];
  /** Of two plans in which this is the same, pools and networks are, and only what is reserved may differ. */
  readonly layout: string;
  /** Addresses that no pool gives to just anyone. */
  readonly reserved: { has(address: A): boolean; keys(): Iterable<A> };
  networkOf(address: A): number | undefined;
}

/** Whether a pool gives this address to nobody: it is left out, or lies within a prefix and begins none. */
export const isExcluded = <A extends Address>(pool: PoolRange<A>, address: A) =>
  (pool.shift !== undefined && pool.shift > 0 && BigInt.asUintN(pool.shift, BigInt(address)) !== 0n) ||
  pool.excluded.some(({ first, last }) => address >= first && address <= last);
