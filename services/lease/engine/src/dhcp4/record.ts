import { sameBytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { holds } from "../leases/allocate.ts";
import { type Binding, FOREVER, isFree, STATE } from "../leases/binding.ts";
import type { EventBudget } from "../leases/event-budget.ts";
import type { LeaseEvent, LeaseRecord } from "../leases/lease-record.ts";
import type { Batch } from "../loop/batch.ts";
import type { Decision, Effect, Exchange } from "./exchange.ts";
import { goesOn } from "./grant.ts";
import { identityOf } from "./identify.ts";
import { clientOf, digestOf, EMPTY_RECORD, eventOf, relayDigestOf, saidByClient } from "./lease-details.ts";
import type { Message } from "./message.ts";

const NOBODY = new Uint8Array(0);
/** Renewals that say nothing new are told of once in this many seconds. */
const FOLD_SECONDS = 86_400;

/** Silences that a person looks for in the history: the client asked, and was right to. */
const REFUSED: ReadonlySet<string> = new Set(["no-free-address", "port-limit"]);

/** What is known of a lease of another server. */
type AdoptedLease = Pick<LeaseRecord, "ip" | "htype" | "mac" | "clientId" | "hostname" | "until">;
type Bind = Extract<Effect, { kind: "bind" }>;
type Told = Pick<LeaseEvent, "type" | "ip"> & Partial<Pick<LeaseEvent, "until" | "reason" | "renewals">>;

/** Writes decisions into a batch: what changes, what is kept of it, what the history tells. */
export class Recorder {
  readonly #budget: EventBudget;
  readonly #hash: (identity: Uint8Array) => number;
  /** The version of the configuration in force, and what names a client in it. */
  version: string;
  identity: "client_id" | "mac";

  constructor(
    budget: EventBudget,
    hash: (identity: Uint8Array) => number,
    version: string,
    identity: "client_id" | "mac",
  ) {
    this.#budget = budget;
    this.#hash = hash;
    this.version = version;
    this.identity = identity;
  }

  record(x: Exchange, { effect, outcome, address = 0 }: Decision, batch: Batch): void {
    if (outcome.kind === "nak")
      this.#tellIfAllowed(x, batch, { type: "nak", ip: address, reason: outcome.reason });
    const refused = outcome.kind === "silence" && REFUSED.has(outcome.reason);
    if (refused) this.#tellIfAllowed(x, batch, { type: "refusal", ip: address, reason: outcome.reason });
    if (!effect) return;
    if (effect.kind === "offer") this.#offer(x, batch, effect.address, effect.until);
    else if (effect.kind === "bind") this.#bind(x, batch, effect);
    else if (effect.kind === "withdraw") this.withdraw(batch, effect.address);
    else if (effect.kind === "decline") {
      this.quarantine(batch, effect.address, effect.until);
      this.#tell(x, batch, { type: "decline", ip: effect.address, until: effect.until });
    } else this.#release(x, batch, effect.address);
  }

  /** A relay that is not trusted was not listened to; what it says of the client is not believed either. */
  refuseRelay(request: Message, batch: Batch): void {
    const { giaddr } = request;
    if (!this.#budget.allowsRelayRefusal(giaddr, batch.now)) {
      batch.count("events_suppressed");
      return;
    }
    const client = { ...saidByClient(request), giaddr, circuitId: null, remoteId: null };
    const event = { type: "refusal", ip: 0, reason: "untrusted-relay", config: this.version } as const;
    batch.tell(eventOf(client, event));
    batch.after(() => this.#budget.spendRelayRefusal(giaddr, batch.now));
  }

  /** An offer that nobody took: the address is as it was before, and that is on disk. */
  withdraw(batch: Batch, address: number): void {
    const offered = batch.leases.find(address);
    if (offered?.state !== STATE.offered) return;
    const known = batch.find(address);
    if (!known) {
      batch.leases.put({ ...offered, state: STATE.none });
      return;
    }
    const { state, starts, until, told, digest } = known;
    const identity = this.#identityOf(known);
    const relayDigest = relayDigestOf(known.relayAgent);
    batch.leases.put({ address, identity, state, starts, until, told, digest, relayDigest, port: "" });
  }

  /** A binding whose time has come. */
  expire(batch: Batch, { address, state, until }: Binding<number>): void {
    if (state === STATE.offered) this.withdraw(batch, address);
    else if (state === STATE.declined) this.#remove(batch, address, STATE.expired);
    else {
      const known = batch.find(address);
      this.#free(batch, address, STATE.expired, until, 0);
      this.#tellOf(batch, known, { type: "expire", ip: address, until });
      batch.count("expired");
    }
  }

  /** The peer has told of a change. */
  tellOfPeer(
    batch: Batch,
    known: LeaseRecord,
    type: "grant" | "release" | "expire" | "decline" | "conflict",
    ip: number,
    until: number,
  ): void {
    const reason = type === "conflict" ? "two-clients" : "by-peer";
    this.#tellOf(batch, known, { type, ip, until, reason });
  }

  /** Someone not of ours answers for the address. */
  conflict(batch: Batch, address: number, until: number): void {
    this.quarantine(batch, address, until);
    this.#tellOf(batch, undefined, { type: "conflict", ip: address, until });
    batch.count("conflicts");
  }

  /** Ends a lease, an offer or a quarantine by hand; false when there is none. */
  clear(batch: Batch, address: number): boolean {
    const binding = batch.leases.find(address);
    if (!binding) return false;
    if (binding.state === STATE.offered) this.withdraw(batch, address);
    else if (binding.state === STATE.bound || binding.state === STATE.declined) {
      const known = batch.find(address);
      if (binding.state === STATE.bound) this.#free(batch, address, STATE.released, batch.now, 0);
      else this.#remove(batch, address, STATE.released);
      batch.failover.released(address);
      this.#tellOf(batch, known, { type: "release", ip: address, until: batch.now, reason: "by-hand" });
    } else return false;
    return true;
  }

  /** A lease that another server gave goes on here; its client says the rest of itself when it renews. */
  adopt(batch: Batch, identity: Uint8Array, lease: AdoptedLease, isReserved: boolean): void {
    const { ip: address, until } = lease;
    if (batch.leases.find(address)?.state === STATE.offered) this.withdraw(batch, address);
    const common = { state: STATE.bound, starts: batch.now, until, told: batch.now, digest: 0 };
    batch.leases.put({ address, identity, port: "", relayDigest: 0, ...common });
    const record = { ...EMPTY_RECORD, ...lease, ...common, seen: batch.now };
    batch.write({ kind: "put", lease: record, keepRelay: false });
    const wanted = until === FOREVER ? FOREVER : until - batch.now;
    batch.failover.bound(address, identity, isReserved, until, { wanted, isUnchanged: false });
    this.#tellOf(batch, record, { type: "grant", ip: address, until, reason: "imported" });
  }

  quarantine(batch: Batch, address: number, until: number): void {
    batch.leases.put({
      address,
      identity: NOBODY,
      state: STATE.declined,
      starts: 0,
      until,
      port: "",
      told: 0,
      digest: 0,
      relayDigest: 0,
    });
    batch.write({
      kind: "put",
      lease: { ...EMPTY_RECORD, ip: address, state: STATE.declined, until, seen: batch.now },
      keepRelay: false,
    });
    batch.failover.declined(address, until);
  }

  #offer(x: Exchange, batch: Batch, address: number, until: number): void {
    const binding = batch.leases.find(address);
    // What is bound stays bound: the client's own lease, or that of a holder who yields when it is taken.
    if (binding?.state === STATE.bound) return;
    this.#leaveOther(x, batch, address, false);
    const { identity, port } = x;
    const untold = { starts: 0, told: 0, digest: 0, relayDigest: 0 };
    batch.leases.put({ address, identity, state: STATE.offered, until, port, ...untold });
  }

  #bind(x: Exchange, batch: Batch, { address, until, renewed, ...bind }: Bind): void {
    const nonce = bind.nonce ?? null;
    const { request, identity } = x;
    const before = batch.leases.find(address);
    if (before?.state === STATE.bound && !holds(before, identity)) {
      batch.after(() => this.#budget.spendTakeover(address, batch.now));
      // What matters, the grant to another client, is told in any case.
      if (this.#isAllowed(x, batch)) {
        const event = { type: "release", ip: address, until: batch.now, reason: "yielded" } as const;
        this.#tellOf(batch, batch.find(address), event);
        this.#spend(x, batch);
      }
    }
    this.#leaveOther(x, batch, address, true);
    const digest = digestOf(x);
    const pastRelay = renewed && request.giaddr === 0 && request.ciaddr !== 0;
    const kept = renewed ? before : undefined;
    const port = (pastRelay && kept?.port) || x.port;
    const starts = kept?.starts ?? batch.now;
    const relayDigest = pastRelay && kept ? kept.relayDigest : relayDigestOf(x.relay.octets);
    const isFoldable = kept !== undefined && request.ciaddr !== 0 && kept.digest === digest;
    // Through a relay, also what that says of the client's place is as it was.
    const isSameRelay = pastRelay || (kept?.port === x.port && kept.relayDigest === relayDigest);
    const isFolded = isFoldable && batch.now - kept.told < FOLD_SECONDS && isSameRelay;
    const how = { wanted: bind.wanted, isUnchanged: isFolded && nonce === null };
    batch.failover.bound(address, identity, x.reservation?.ip === address, until, how);
    if (isFolded) {
      batch.leases.put({ ...kept, until, port });
      batch.write({ kind: "renew", ip: address, until, seen: batch.now, nonce });
      return;
    }
    // Renewals that no event has told of, this one included. It is read from disk, and a grant that is told needs none.
    const renewals = () => (batch.find(address)?.renewals ?? 0) + (kept ? 1 : 0);
    const isTold = kept
      ? this.#tellIfAllowed(x, batch, { type: "renew", ip: address, until, renewals: renewals() })
      : this.#tellGrant(x, batch, { type: "grant", ip: address, until });
    const told = !isTold && kept ? kept.told : batch.now;
    const binding = { address, identity, state: STATE.bound, starts, until, port, told, digest, relayDigest };
    batch.leases.put(binding);
    batch.write({
      kind: "put",
      lease: {
        ...clientOf(x),
        ip: address,
        state: STATE.bound,
        starts,
        until,
        seen: batch.now,
        interface: x.ingress.interfaceName,
        nonce,
        told,
        renewals: isTold ? 0 : renewals(),
        digest,
      },
      keepRelay: pastRelay,
    });
  }

  /** Who has an address now is told, unless the history says so already and the client's budget is spent. */
  #tellGrant(x: Exchange, batch: Batch, event: Told): boolean {
    const isTold = this.#isAllowed(x, batch) || this.#isNews(x, batch, event.ip);
    if (isTold) {
      this.#tell(x, batch, event);
      batch.after(() => this.#budget.spendGrant(x.network.name, batch.now));
    } else batch.count("events_suppressed");
    return isTold;
  }

  /** The history says of an address that nobody has it, or another client: who has it now is told in any case. */
  #isNews(x: Exchange, batch: Batch, address: number): boolean {
    const known = batch.find(address);
    return !known || known.told === 0 || !sameBytes(this.#identityOf(known), x.identity);
  }

  /** When it is not told, the history goes on to say that the client has it, until someone else does. */
  #release(x: Exchange, batch: Batch, address: number): void {
    const { renewals, told } = batch.find(address) ?? EMPTY_RECORD;
    const isTold = this.#tellIfAllowed(x, batch, {
      type: "release",
      ip: address,
      until: batch.now,
      renewals,
    });
    const { until } = batch.leases.find(address) as Binding<number>;
    this.#free(batch, address, STATE.released, until, isTold ? 0 : told);
    batch.failover.released(address);
  }

  /**
   * A client has one address on a network: what it had there before is given up, once it is bound to another. Where it
   * begins anew, so is what it had on a network that is gone.
   */
  #leaveOther(x: Exchange, batch: Batch, address: number, isBinding: boolean): void {
    const { identity, network } = x;
    const own =
      isBinding && !goesOn(x)
        ? batch.leases.ofClientAndGone(identity, network.index)
        : batch.leases.ofClient(identity, network.index);
    for (const other of own) {
      if (other.address === address) continue;
      if (other.state === STATE.offered) this.withdraw(batch, other.address);
      // An offer may still be turned down: what the client holds stays its own until it takes it.
      if (!isBinding || !batch.leases.find(other.address)) continue;
      if (other.state === STATE.bound && !this.#mayLeave(x, batch, other.address)) continue;
      if (other.state === STATE.bound) {
        const { renewals } = batch.find(other.address) ?? EMPTY_RECORD;
        this.#tell(x, batch, {
          type: "release",
          ip: other.address,
          until: batch.now,
          reason: "moved",
          renewals,
        });
      }
      const now = batch.leases.find(other.address);
      if (!now || !holds(now, x.identity)) continue;
      // What was its before is free already, and the peer knows it so.
      if (batch.failover.isPaired && isFree(now.state)) continue;
      this.#remove(batch, other.address, STATE.released);
      batch.failover.released(other.address);
    }
  }

  /**
   * Of a pair, a client leaves an address only where it takes the offer of another: what goes on with an old one may be
   * a late copy of a message, and the lease simply ends in its time.
   */
  #mayLeave(x: Exchange, batch: Batch, address: number): boolean {
    const { failover } = batch;
    if (!failover.isPaired) return true;
    return x.request.options.has(CODE.serverIdentifier) && failover.mayGiveBack(address, x.identity);
  }

  #free(
    batch: Batch,
    address: number,
    state: typeof STATE.released | typeof STATE.expired,
    until: number,
    told: number,
  ): void {
    const binding = batch.leases.find(address);
    if (!binding) return;
    batch.leases.put({ ...binding, state, until, told, port: "" });
    batch.write({ kind: "mark", ip: address, state, until, told });
  }

  /** As if nobody ever had it; of a pair, the row stays until both know that it has ended. */
  #remove(batch: Batch, address: number, as: typeof STATE.released | typeof STATE.expired): void {
    const binding = batch.leases.find(address);
    if (batch.failover.isPaired) {
      if (binding) this.#free(batch, address, as, binding.until, 0);
      return;
    }
    if (binding) batch.leases.put({ ...binding, state: STATE.none });
    batch.write({ kind: "remove", ip: address });
  }

  #identityOf({ htype, mac, clientId, state }: LeaseRecord): Uint8Array {
    if (state === STATE.declined) return NOBODY;
    return identityOf({ identity: this.identity }, htype, mac, clientId) ?? NOBODY;
  }

  /** Tells what the history can do without, as far as the client's budget goes; answers whether it was told. */
  #tellIfAllowed(x: Exchange, batch: Batch, event: Told): boolean {
    const isRefusal = event.type === "nak" || event.type === "refusal";
    const allowed = this.#isAllowed(x, batch, isRefusal);
    if (allowed) this.#tell(x, batch, event, isRefusal);
    else batch.count("events_suppressed");
    return allowed;
  }

  #isAllowed(x: Exchange, batch: Batch, isRefusal = false): boolean {
    const client = this.#hash(x.identity);
    return isRefusal ? this.#budget.allowsRefusal(client, batch.now) : this.#budget.allows(client, batch.now);
  }

  #spend(x: Exchange, batch: Batch, isRefusal = false): void {
    const client = this.#hash(x.identity);
    batch.after(() => this.#budget.spend(client, batch.now, isRefusal));
  }

  /** An event of a lease that is known, with the renewals that no event has told of. */
  #tellOf(batch: Batch, known: LeaseRecord | undefined, event: Told): void {
    batch.tell(eventOf(known, { renewals: known?.renewals ?? 0, ...event, config: this.version }));
  }

  #tell(x: Exchange, batch: Batch, event: Told, isRefusal = false): void {
    batch.tell(eventOf(clientOf(x), { ...event, config: this.version }));
    this.#spend(x, batch, isRefusal);
  }
}
