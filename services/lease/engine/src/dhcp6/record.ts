import { sameBytes } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { holds } from "../leases/allocate.ts";
import { type Binding, endOf, FOREVER, STATE } from "../leases/binding.ts";
import type { EventBudget } from "../leases/event-budget.ts";
import { ADDRESS_BITS, type ForeignLease6, type Lease6Record } from "../leases/lease6-record.ts";
import type { Batch } from "../loop/batch.ts";
import type { Batch6 } from "../loop/batch6.ts";
import { hadBefore, isNew } from "./allocation-request.ts";
import { bindingOf6 } from "./bindings.ts";
import { type Effects6, type Exchange6, type Given6, newcomerOf } from "./exchange.ts";
import type { Ia, IaLease } from "./ia.ts";
import { identityOf, identityOfRecord } from "./identity.ts";
import { clientOf6, digestOf6, EMPTY_RECORD6, eventOf6, type Told6 } from "./lease-details.ts";
import { REFUSAL6_COUNTERS, type Refusal6 } from "./outcomes.ts";
import { acceptsReconfigure, hasOwnKey, relayPath } from "./reconfigure.ts";

const NOBODY = new Uint8Array(0);
/** Renewals that say nothing new are told of once in this many seconds. */
const FOLD_SECONDS = 86_400;
const UNTOLD = { starts: 0, told: 0, digest: 0, relayDigest: 0 } as const;

/** What a batch holds of DHCPv6, and the batch. */
export interface Pending6 {
  readonly batch: Batch;
  readonly part: Batch6;
}

/** Writes decisions into a batch: what changes, what is kept of it, what the history tells. */
export class Recorder6 implements Effects6 {
  readonly #budget: EventBudget;
  readonly #hash: (identity: Uint8Array) => number;
  /** The version of the configuration in force. */
  version: string;

  constructor(budget: EventBudget, hash: (identity: Uint8Array) => number, version: string) {
    this.#budget = budget;
    this.#hash = hash;
    this.version = version;
  }

  /** The client asked, was right to, and got nothing. */
  refuse(x: Exchange6, ia: Ia, reason: Refusal6): void {
    x.batch.count(REFUSAL6_COUNTERS[reason]);
    const [first] = ia.leases;
    const { address, length } = first ?? { address: 0n, length: 128 };
    this.#tellIfAllowed(x, { type: "refusal", address, length, iaid: ia.iaid, reason }, true);
  }

  offer(x: Exchange6, ia: Ia, { address, length }: Given6): void {
    const { part, batch } = x;
    // What is bound stays bound: the client's own lease, or that of a holder who yields when it is taken.
    if (part.leases.find(address)?.state === STATE.bound) return;
    const identity = identityOf(ia.type, ia.iaid, x.duid);
    for (const other of part.leases.ofClient(identity, x.network.index)) {
      if (other.address !== address && other.state === STATE.offered) this.withdraw(x, other.address);
    }
    const until = batch.now + x.config.offerTime;
    part.leases.put({ address, length, identity, state: STATE.offered, until, port: x.port, ...UNTOLD });
  }

  bind(x: Exchange6, ia: Ia, { address, length, preferred, valid, wanted }: Given6): void {
    const { part, batch, port } = x;
    const identity = identityOf(ia.type, ia.iaid, x.duid);
    const before = part.leases.find(address);
    const isHeld = before?.state === STATE.bound;
    const kept = isHeld && holds(before, identity) ? before : undefined;
    const toldUntil = endOf(x.now, valid);
    const until = kept && mayMissReply(x) ? Math.max(toldUntil, kept.until) : toldUntil;
    if (isHeld && !kept) this.#yielded(x, address);
    if (!kept && !hadBefore(x, identity, address)) {
      if (isNew(x, ia)) x.newLeases.spend(newcomerOf(x));
      x.granted(x.duid);
    }
    this.#leaveOthers(x, ia, address);
    const digest = digestOf6(x);
    // Who routes a prefix follows the events, and must know until when.
    const isFolded = length === ADDRESS_BITS && kept !== undefined && batch.now - kept.told < FOLD_SECONDS;
    // Of a pair, the lease may have come with a key of the other server.
    const getsKey = x.failover.isPaired && acceptsReconfigure(x) && !hasOwnKey(x, address);
    const isUnchanged = isFolded && kept.digest === digest && kept.port === port && !getsKey;
    batch.failover.bound(address, identity, isReservedFor(x, ia, address), toldUntil, {
      wanted,
      isUnchanged,
    });
    if (isUnchanged) {
      part.leases.put({ ...kept, until });
      part.write({ kind: "renew", address, until, preferred, seen: batch.now });
      return;
    }
    const known = kept ? part.find(address) : undefined;
    const renewals = (known?.renewals ?? 0) + (kept ? 1 : 0);
    const event = { address, length, iaid: ia.iaid, until };
    const isTold = kept
      ? this.#tellIfAllowed(x, { type: "renew", ...event, renewals })
      : this.#tellGrant(x, identity, { type: "grant", ...event });
    const starts = kept?.starts ?? batch.now;
    const told = !isTold && kept ? kept.told : batch.now;
    const common = { address, length, state: STATE.bound, starts, until, told, digest };
    const mayBeLarger = known && !knowsLength(x, ia, { address, length });
    const earlier = mayBeLarger ? earlierOf(known, length, batch.now) : undefined;
    part.leases.put({ ...common, identity, port, relayDigest: 0, ...(earlier && { earlier }) });
    part.write({
      kind: "put",
      lease: {
        ...clientOf6(x),
        ...common,
        earlierLength: earlier?.length ?? 0,
        earlierUntil: earlier?.until ?? 0,
        iaid: ia.iaid,
        preferred,
        seen: batch.now,
        relays: relayPath(x),
        // Given with the lease, and kept as long as the client has it.
        reconfigureKey: acceptsReconfigure(x) ? x.reconfigureKeyOf(x.duid) : null,
        renewals: isTold ? 0 : renewals,
      },
    });
  }

  release(x: Exchange6, address: bigint): void {
    const known = x.part.find(address) ?? EMPTY_RECORD6;
    const { length, iaid, renewals, told } = known;
    const event = { type: "release", address, length, iaid, until: x.batch.now, renewals } as const;
    const isTold = this.#tellIfAllowed(x, event);
    const { until } = x.part.leases.find(address) as Binding<bigint>;
    // What had no end rests for nobody: it would never be forgotten.
    const restsUntil = until === FOREVER ? x.batch.now : until;
    this.#free(x, address, STATE.released, restsUntil, isTold ? 0 : told);
    x.batch.failover.released(address);
  }

  register(x: Exchange6, { address, length, valid }: IaLease): void {
    const until = endOf(x.now, valid);
    this.#tellIfAllowed(x, { type: "grant", address, length, iaid: 0, until, reason: "registered" });
  }

  decline(x: Exchange6, address: bigint, until: number): void {
    const { length, iaid } = x.part.find(address) ?? EMPTY_RECORD6;
    const { part, batch } = x;
    const state = STATE.declined;
    part.leases.put({ address, length, identity: NOBODY, state, until, port: "", ...UNTOLD });
    part.write({ kind: "put", lease: { ...EMPTY_RECORD6, address, length, state, until, seen: batch.now } });
    batch.failover.declined(address, until);
    this.#tell(x, { type: "decline", address, length, iaid, until });
  }

  /** A binding whose time has come. */
  expire(pending: Pending6, { address, state, until }: Binding<bigint>): void {
    if (state === STATE.offered) this.withdraw(pending, address);
    else if (state === STATE.declined) this.#forget(pending, address, STATE.expired);
    else {
      const known = pending.part.find(address);
      this.#free(pending, address, STATE.expired, until, 0);
      this.#tellOf(pending, known, { type: "expire", until });
      pending.batch.count("expired");
    }
  }

  /** Ends a lease, an offer or a quarantine by hand; false when there is none. */
  clear(pending: Pending6, address: bigint): boolean {
    const { part, batch } = pending;
    const binding = part.leases.find(address);
    if (!binding) return false;
    if (binding.state === STATE.offered) this.withdraw(pending, address);
    else if (binding.state === STATE.bound || binding.state === STATE.declined) {
      const known = part.find(address);
      if (binding.state === STATE.bound) this.#free(pending, address, STATE.released, batch.now, 0);
      else this.#forget(pending, address, STATE.released);
      batch.failover.released(address);
      this.#tellOf(pending, known, { type: "release", until: batch.now, reason: "by-hand" });
    } else return false;
    return true;
  }

  /** A lease that another server gave goes on here; its client says the rest of itself when it renews. */
  adopt(pending: Pending6, identity: Uint8Array, lease: ForeignLease6, isReserved: boolean): void {
    const { batch, part } = pending;
    const { address, length, until } = lease;
    if (part.leases.find(address)?.state === STATE.offered) this.withdraw(pending, address);
    const common = { state: STATE.bound, starts: batch.now, until, told: batch.now, digest: 0 };
    part.leases.put({ address, length, identity, port: "", relayDigest: 0, ...common });
    const wanted = until === FOREVER ? FOREVER : until - batch.now;
    const record = { ...EMPTY_RECORD6, ...lease, ...common, preferred: wanted, seen: batch.now };
    part.write({ kind: "put", lease: record });
    batch.failover.bound(address, identity, isReserved, until, { wanted, isUnchanged: false });
    this.#tellOf(pending, record, { type: "grant", until, reason: "imported" });
  }

  /** The peer has told of a change. */
  tellOfPeer(
    pending: Pending6,
    known: Lease6Record,
    type: "grant" | "release" | "expire" | "decline" | "conflict",
    until: number,
  ): void {
    const reason = type === "conflict" ? "two-clients" : "by-peer";
    this.#tellOf(pending, known, { type, until, reason });
  }

  /** As if nobody ever had it; of a pair, the row stays until both know that it has ended. */
  #forget(pending: Pending6, address: bigint, as: typeof STATE.released | typeof STATE.expired): void {
    const { part, batch } = pending;
    if (!batch.failover.isPaired) this.erase(pending, address);
    else this.#free(pending, address, as, part.leases.find(address)?.until ?? batch.now, 0);
  }

  /** As if nobody ever had it. */
  erase({ part }: Pending6, address: bigint): void {
    const binding = part.leases.find(address);
    if (binding) part.leases.put({ ...binding, state: STATE.none });
    part.write({ kind: "remove", address });
  }

  /** An offer that nobody took: the address is as it was before, and that is on disk. */
  withdraw({ part }: Pending6, address: bigint): void {
    const offered = part.leases.find(address);
    if (offered?.state !== STATE.offered) return;
    const known = part.find(address);
    if (!known) {
      part.leases.put({ ...offered, state: STATE.none });
      return;
    }
    part.leases.put({ ...bindingOf6(known), port: "" });
  }

  /**
   * An IA has one lease on a network: what it had there before, or on one that is gone, is given up as soon as it can know
   * of the new one.
   */
  #leaveOthers(x: Exchange6, ia: Ia, address: bigint): void {
    const identity = identityOf(ia.type, ia.iaid, x.duid);
    for (const other of x.part.leases.ofClientAndGone(identity, x.network.index)) {
      if (other.address === address) continue;
      if (other.state === STATE.offered) this.withdraw(x, other.address);
      const now = x.part.leases.find(other.address);
      if (!now || !holds(now, identity)) continue;
      const isHeld = now.state === STATE.bound;
      if (isHeld && !mayLeave(x, ia, other.address, address)) {
        // For its port, a client counts once.
        if (now.port !== "") x.part.leases.put({ ...now, port: "" });
        continue;
      }
      // What was its before is free already, and the peer knows it so.
      if (!isHeld && x.batch.failover.isPaired) continue;
      const known = x.part.find(other.address);
      if (now.state === STATE.bound) {
        this.#tellOf(x, known, { type: "release", until: x.batch.now, reason: "moved" });
      }
      this.#forget(x, other.address, STATE.released);
      x.batch.failover.released(other.address);
    }
  }

  #yielded(x: Exchange6, address: bigint): void {
    // What matters, the grant to another client, is told in any case.
    if (!this.#isAllowed(x)) return;
    this.#tellOf(x, x.part.find(address), { type: "release", until: x.batch.now, reason: "yielded" });
    this.#spend(x);
  }

  #free(
    { part }: Pending6,
    address: bigint,
    state: typeof STATE.released | typeof STATE.expired,
    until: number,
    told: number,
  ): void {
    const binding = part.leases.find(address);
    if (!binding) return;
    part.leases.put({ ...binding, state, until, told, port: "" });
    part.write({ kind: "mark", address, state, until, told });
  }

  /** Who has an address now is told, unless the history says so already and the client's budget is spent. */
  #tellGrant(x: Exchange6, identity: Uint8Array, event: Told6): boolean {
    const isTold = this.#isAllowed(x) || this.#isNews(x, identity, event.address);
    if (isTold) this.#tell(x, event);
    else x.batch.count("events_suppressed");
    return isTold;
  }

  /** The history says of an address that nobody has it, or another client: who has it now is told in any case. */
  #isNews(x: Exchange6, identity: Uint8Array, address: bigint): boolean {
    const known = x.part.find(address);
    return !known || known.told === 0 || !sameBytes(identityOfRecord(known), identity);
  }

  /** Tells what the history can do without, as far as the client's budget goes; answers whether it was told. */
  #tellIfAllowed(x: Exchange6, event: Told6, isRefusal = false): boolean {
    const allowed = isRefusal
      ? this.#budget.allowsRefusal(this.#hash(x.duid), x.batch.now)
      : this.#isAllowed(x, event);
    if (allowed) this.#tell(x, event, isRefusal);
    else x.batch.count("events_suppressed");
    return allowed;
  }

  /** Of clients that may be invented less is told; but who routes a prefix must know until when. */
  #isAllowed(x: Exchange6, { type, length, reason }: Partial<Told6> = {}): boolean {
    const isRoute = type === "renew" && length !== ADDRESS_BITS;
    const { name } = x.network;
    const amongNew =
      reason === "registered"
        ? x.registrations.isShort(name)
        : !isRoute && x.grantsOf(x.duid) > 0 && x.newLeases.isShort(name);
    return this.#budget.allows(this.#hash(x.duid), x.batch.now, amongNew);
  }

  #tell(x: Exchange6, event: Told6, isRefusal = false): void {
    x.batch.tell(eventOf6(clientOf6(x), event, this.version));
    this.#spend(x, isRefusal);
  }

  #spend(x: Exchange6, isRefusal = false): void {
    const client = this.#hash(x.duid);
    x.batch.after(() => this.#budget.spend(client, x.batch.now, isRefusal));
  }

  /** An event of a lease that is known, with the renewals that no event has told of. */
  #tellOf(
    { batch }: Pending6,
    known: Lease6Record | undefined,
    event: Pick<Told6, "type" | "until" | "reason">,
  ): void {
    const { address, length, iaid, renewals } = known ?? EMPTY_RECORD6;
    batch.tell(eventOf6(known, { renewals, ...event, address, length, iaid }, this.version));
  }
}

/**
 * Whether a client goes on with what it has, and believes in what it was told before if the REPLY is lost: a renewal does
 * not shorten its end. Who begins anew has left what it had. Of a pair, the ledger keeps the later end.
 */
const mayMissReply = ({ batch, request }: Exchange6) =>
  !batch.failover.isPaired && (request.type === TYPE6.renew || request.type === TYPE6.rebind);

/**
 * Whether a client no longer uses a lease when it is given another. The reply to a RENEW or REBIND that moves it may be
 * lost: it has left the old lease when it names the new one alone, or else that ends in its time. Of a pair, a client
 * leaves a lease only where it takes the offer of another: what goes on with an old one may be a late copy of a message.
 */
function mayLeave(x: Exchange6, ia: Ia, held: bigint, given: bigint): boolean {
  const { request, duid } = x;
  const { failover } = x.batch;
  const names = (lease: bigint) => ia.leases.some(({ address }) => address === lease);
  if (!failover.isPaired) return !mayMissReply(x) || (names(given) && !names(held));
  const isOffered = request.type === TYPE6.request && names(given);
  return isOffered && failover.mayGiveBack(held, identityOf(ia.type, ia.iaid, duid));
}

/**
 * Whether a client no longer uses what it had of a prefix that is given to it with another length. The reply that told it so
 * may be lost: it knows the length when it names that alone. Of a pair, that may be a late copy of a message.
 */
function knowsLength(x: Exchange6, ia: Ia, given: Pick<IaLease, "address" | "length">): boolean {
  if (x.batch.failover.isPaired) return false;
  const named = ia.leases.filter(({ address }) => address === given.address);
  return !mayMissReply(x) || (named.length > 0 && named.every(({ length }) => length === given.length));
}

/**
 * What a client may believe to have of a prefix that is given to it with another length than before. Of several larger ones
 * it is the largest, and until the last of them is over.
 */
function earlierOf(
  { length, until, earlierLength, earlierUntil }: Lease6Record,
  given: number,
  now: number,
): Binding<bigint>["earlier"] {
  const larger = [
    { length, until },
    { length: earlierLength, until: earlierUntil },
  ].filter((each) => each.length > 0 && each.length < given && each.until >= now);
  if (larger.length === 0) return undefined;
  return {
    length: Math.min(...larger.map((each) => each.length)),
    until: Math.max(...larger.map((each) => each.until)),
  };
}

const isReservedFor = ({ reservation }: Exchange6, { type }: Ia, address: bigint) =>
  address === (type === CODE6.iaPd ? reservation?.prefix?.address : reservation?.ip);
