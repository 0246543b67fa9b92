import type { Config } from "@frontdesk/lease-config/config";
import type { Pool6 } from "@frontdesk/lease-config/config6";
import type { ImportRefusal } from "@frontdesk/lease-control-api/lease-import";
import { formatHex, formatIpv6, sameBytes, textBytes } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { ipv6 } from "../leases/address-family.ts";
import { type Binding, STATE, timeIn } from "../leases/binding.ts";
import { ClientWindow } from "../leases/client-window.ts";
import { EventBudget } from "../leases/event-budget.ts";
import { LeaseTable } from "../leases/lease-table.ts";
import type { ForeignLease6, Lease6Record } from "../leases/lease6-record.ts";
import { NewLeaseBudget } from "../leases/new-lease-budget.ts";
import { PendingLeases } from "../leases/pending-leases.ts";
import { RegistrationBudget } from "../leases/registration-budget.ts";
import { printable } from "../leases/shown-text.ts";
import type { Batch } from "../loop/batch.ts";
import { Batch6 } from "../loop/batch6.ts";
import type { Counters } from "../loop/counters.ts";
import type { EngineLog, Protocol6 } from "../loop/engine.ts";
import type { EngineClock } from "../loop/engine-clock.ts";
import type { LeaseStore6 } from "../loop/lease-store.ts";
import type { PairedFamily, PairedStore } from "../loop/paired-family.ts";
import { ServerAddresses } from "../loop/server-addresses.ts";
import type { Datagram6, Ingress6, Wire } from "../loop/wire.ts";
import { planOf6, usesOf6 } from "./address-plan.ts";
import { bindingOf6 } from "./bindings.ts";
import { decide6 } from "./decide.ts";
import { destinationOf6 } from "./destination.ts";
import type { View6 } from "./exchange.ts";
import { type ExplainQuery6, type Explanation6, explain6, isRelayed, solicitOf } from "./explain.ts";
import { identityOf, typeOfLength } from "./identity.ts";
import { importVerdict6 } from "./import-lease.ts";
import { decodePacket, encodePacket, MAX_REPLY6, type Message6, type Packet6 } from "./message.ts";
import { Notices6 } from "./notices.ts";
import { firstOption } from "./options.ts";
import { counterOf6, receivedCounter } from "./outcomes.ts";
import { Overlaps } from "./overlaps.ts";
import { pairedLeases6 } from "./paired-leases.ts";
import { placements } from "./placement.ts";
import {
  FIRST_WAIT_MS,
  MAX_TRIES,
  type Reconfigurer,
  reconfigureKey,
  reconfigureMessage,
} from "./reconfigure.ts";
import { Recorder6 } from "./record.ts";
import { replyTo6 } from "./reply.ts";

export interface Dhcp6Parts {
  readonly config: Config;
  /** The version of the configuration, for the history. */
  readonly version: string;
  readonly clock: Pick<EngineClock, "now">;
  readonly store: LeaseStore6;
  readonly wire: Pick<Wire, "ownAddresses6" | "through">;
  readonly counters: Counters;
  readonly random: (size: number) => Uint8Array;
  readonly log: EngineLog;
}

/** Replies of one batch that need no memory of their own. */
const MAX_REPLIES = 256;
/**
 * How long a lease is remembered after its end. A pool of IPv6 never runs out of addresses that nobody had, so what is
 * over would stay for ever; a client that comes back later gets the same address by its hash.
 */
const REMEMBER_SECONDS = 86_400;
const FORGET_EVERY_SECONDS = 10;
/** How often it is looked for places that leases of another length keep no more: there may be many. */
const LOOK_AGAIN_SECONDS = 10;
/**
 * Offers that are open at the most. Beyond it they are not kept: a client's address comes from its identity, so that it
 * gets with its REQUEST what it was offered, unless another was faster.
 */
const MAX_OFFERS = 8192;
const CLIENT_PORT = 546;
const SERVER_PORT = 547;

/** DHCPv6: what each packet and each second leads to. */
export class Dhcp6 implements Protocol6 {
  readonly leases: LeaseTable<bigint, Pool6>;
  readonly #parts: Dhcp6Parts;
  readonly #recorder: Recorder6;
  readonly #declines = new ClientWindow();
  readonly #grants = new ClientWindow();
  readonly #newLeases = new NewLeaseBudget();
  readonly #registrations = new RegistrationBudget();
  readonly #notices: Notices6;
  readonly #servers: ServerAddresses<bigint>;
  readonly #serverId: Uint8Array;
  /** The DUID of the other server of the pair. */
  #peerId: Uint8Array | undefined;
  readonly #placeOf: View6["placeOf"];
  readonly #keyOf: View6["reconfigureKeyOf"];
  /** Clients that were told to renew and have not been heard of since, by their DUID in hex. */
  readonly #told = new Map<string, { lease: Lease6Record; tries: number; nextAt: number }>();
  readonly #replies = new Uint8Array(MAX_REPLIES * MAX_REPLY6);
  #config: Config;
  #overlaps: Overlaps;
  #forgetAt = 0;
  #lookAgainAt = 0;
  #viewed: View6 | undefined;

  constructor(parts: Dhcp6Parts) {
    this.#parts = parts;
    this.#config = parts.config;
    this.#notices = new Notices6(parts.log);
    this.#servers = new ServerAddresses(() => parts.wire.ownAddresses6?.() ?? [], formatIpv6, parts.log);
    this.#servers.withhold(usesOf6(this.#config.v6));
    const { duid, secret } = parts.store.serverIdentity();
    this.#serverId = duid;
    this.#placeOf = placements(secret);
    this.#keyOf = (client) => reconfigureKey(secret, client);
    const hashSecret = parts.random(4).reduce((sum, octet) => (sum << 8) | octet, 0);
    const now = Math.floor(parts.clock.now() / 1000);
    this.leases = new LeaseTable(ipv6, planOf6(this.#config.v6, this.#servers.withheld), now, hashSecret);
    this.#recorder = new Recorder6(
      new EventBudget(),
      (identity) => this.leases.identityHash(identity),
      parts.version,
    );
    this.#overlaps = new Overlaps(this.#config.v6);
    for (const lease of parts.store.all6()) {
      const binding = bindingOf6(lease);
      this.#load(binding);
      this.#overlaps.add(binding);
    }
    this.leases.forgetEarlier(now);
    this.#coverPlaces(now);
  }

  get config(): Config {
    return this.#config;
  }

  /** A client counts for its port once: what it was moved away from, and has still, counts for none. */
  #load(binding: Binding<bigint>): void {
    const { address, identity, state, starts } = binding;
    const own = state === STATE.bound ? this.leases.ofClient(identity, this.leases.networkOf(address)) : [];
    const other = own.find((each) => each.state === STATE.bound && each.port !== "");
    if (other && other.starts <= starts) this.leases.put({ ...other, identity, port: "" });
    this.leases.put(other && other.starts > starts ? { ...binding, port: "" } : binding);
  }

  /** The leases as a pair of servers needs them. */
  paired(store: PairedStore<bigint, Lease6Record>): PairedFamily<bigint> {
    const part = (batch: Batch) => this.#part(batch);
    return pairedLeases6(this.leases, this.#recorder, part, this.#parts.store, store, {
      renew: (lease) => void this.#reconfigure(lease),
      meet: ({ addresses, duid }) => {
        this.#peerId = duid;
        this.#servers.peer = addresses;
        this.addressesChanged();
      },
    });
  }

  receive(datagram: Datagram6, batch: Batch): void {
    const { counters } = this.#parts;
    counters.add("packets_received");
    const packet = decodePacket(datagram.bytes);
    if ("malformed" in packet) {
      counters.add("parse_errors");
      return;
    }
    counters.add(receivedCounter(packet.message.type));
    this.#heardOf(packet.message);
    const { ingress } = datagram;
    const { decision, exchange } = decide6(packet, ingress, this.#view(batch));
    batch.count(counterOf6(decision.outcome));
    const reply = exchange && replyTo6(exchange, decision);
    const out = reply && this.#room(batch.replies.length);
    const encoded = out && encodePacket(reply, out);
    const left = encoded?.left ?? [];
    if (left.length > 0) batch.count("options_left_out", left.length);
    this.#notices.tell(decision, exchange, left, batch.nowMs);
    if (!out || !encoded || encoded.length === 0) return;
    const destination = destinationOf6(packet, ingress);
    const bytes = out.subarray(0, encoded.length);
    batch.reply({ family: 6, bytes, destination, ingress, givesTime: true });
  }

  expire(batch: Batch, limit: number): void {
    const due: Binding<bigint>[] = [];
    const later: bigint[] = [];
    let ended = 0;
    for (const binding of this.leases.due(batch.overBy)) {
      if (later.length === limit) break;
      // When a lease ends is for the pair to say; an offer is this node's own.
      if (batch.failover.isPaired && binding.state !== STATE.offered) {
        later.push(binding.address);
        continue;
      }
      // An offer ends in memory alone.
      if (binding.state !== STATE.offered && ended++ === limit) break;
      due.push(binding);
    }
    for (const address of later) this.leases.postpone(address);
    if (due.length > 0) {
      const pending = { batch, part: this.#part(batch) };
      due.sort((a, b) => a.until - b.until || (a.address < b.address ? -1 : 1));
      for (const binding of due) this.#recorder.expire(pending, binding);
    }
    this.#tellAgain(batch);
    if (batch.now >= this.#lookAgainAt) {
      this.#lookAgainAt = batch.now + LOOK_AGAIN_SECONDS;
      this.leases.forgetEarlier(batch.now);
      this.leases.uncover(batch.now);
    }
    this.leases.coverAgain((place) =>
      this.#overlaps.at(place, {
        now: batch.now,
        identity: NOBODY,
        reservation: undefined,
        leases: this.leases,
      }),
    );
    if (batch.now < this.#forgetAt) return;
    const isMore = this.#forget(batch, limit - ended);
    batch.after(() => {
      this.#forgetAt = isMore ? 0 : batch.now + FORGET_EVERY_SECONDS;
    });
  }

  reload(config: Config, version: string): void {
    this.#config = config;
    this.#recorder.version = version;
    this.#servers.withhold(usesOf6(config.v6));
    this.#rebuild();
  }

  /** The addresses of the engine, or of its peer, may be others now. */
  addressesChanged(): void {
    if (this.#servers.withhold(usesOf6(this.#config.v6))) this.#rebuild();
  }

  /** Ends a lease, an offer or a quarantine from outside; false when the address has none. */
  release(address: bigint, batch: Batch): boolean {
    return this.#recorder.clear({ batch, part: this.#part(batch) }, address);
  }

  /** Takes over a lease of another server; or the reason why not; "pending": the peer does not have it yet. */
  import(lease: ForeignLease6, batch: Batch): ImportRefusal | "pending" | undefined {
    const identity = identityOf(typeOfLength(lease.length), lease.iaid, lease.duid);
    const until = timeIn(lease.until, batch.offsetSeconds);
    if (until <= batch.now) return "expired";
    const part = this.#part(batch);
    const isServer = (address: bigint) => this.#servers.withheld.has(address);
    const { failover, now } = batch;
    const view = { config: this.#config.v6, isServer, part, failover, overlaps: this.#overlaps, now };
    const verdict = importVerdict6(lease, identity, until, view);
    if ("refusal" in verdict) return verdict.refusal;
    const { isHeld, isKnown, isReserved } = verdict;
    if (!isHeld) {
      const hostname = (lease.hostname && printable(textBytes(lease.hostname))) || null;
      this.#recorder.adopt({ batch, part }, identity, { ...lease, hostname, until }, isReserved);
    }
    return isKnown ? undefined : "pending";
  }

  /** RFC 9915 section 18.4: tells a client to renew now, and again until it does; the reason when it cannot be told. */
  reconfigure(address: bigint): "sent" | "no_lease" | "no_nonce" | "no_way" {
    const { store } = this.#parts;
    const lease = this.leases.find(address)?.state === STATE.bound ? store.find6(address) : undefined;
    return lease ? this.#reconfigure(lease) : "no_lease";
  }

  #reconfigure(lease: Lease6Record): "sent" | "no_nonce" | "no_way" {
    const { wire, clock } = this.#parts;
    // RFC 9915 section 20.4: without a key the client could not tell it from a forgery.
    if (!this.#reconfigurerOf(lease)) return "no_nonce";
    if (!wire.through?.(lease.interface ?? "")) return "no_way";
    this.#told.set(formatHex(lease.duid), { lease, tries: 0, nextAt: clock.now() });
    return "sent";
  }

  /**
   * Whose key a client has; undefined when it has none. The other server of a pair may have given it: then the client is
   * told in that server's name, and to ask any server, since that one may be gone.
   */
  #reconfigurerOf({ duid, reconfigureKey: key }: Lease6Record): Reconfigurer | undefined {
    if (!key) return undefined;
    if (sameBytes(key, this.#keyOf(duid))) return { serverId: this.#serverId, asks: TYPE6.renew };
    return this.#peerId && { serverId: this.#peerId, asks: TYPE6.rebind };
  }

  /** A client that does as it was told, or begins anew, need not be told again. */
  #heardOf({ type, options }: Message6): void {
    if (this.#told.size === 0 || type === TYPE6.release || type === TYPE6.decline) return;
    const duid = firstOption(options, CODE6.clientId);
    if (duid) this.#told.delete(formatHex(duid));
  }

  #tellAgain(batch: Batch): void {
    for (const [duid, { lease, tries, nextAt }] of this.#told) {
      if (nextAt > batch.nowMs) continue;
      const ingress = this.#parts.wire.through?.(lease.interface ?? "");
      const from = this.#reconfigurerOf(lease);
      if (!from || !ingress || tries > MAX_TRIES) {
        this.#told.delete(duid);
        continue;
      }
      const { bytes, address: to, isRelayed } = reconfigureMessage(lease, from, batch.replay);
      const port = isRelayed ? SERVER_PORT : CLIENT_PORT;
      batch.reply({ family: 6, bytes, destination: { address: to, port }, ingress });
      batch.count("sent6_reconfigure");
      const next = { lease, tries: tries + 1, nextAt: batch.nowMs + FIRST_WAIT_MS * 2 ** tries };
      batch.after(() => void this.#told.set(duid, next));
    }
  }

  explain(query: ExplainQuery6, batch: Batch): Explanation6 {
    const { subnets, relays } = this.#config.v6;
    const heardThrough = query.interface === undefined ? [] : [query.interface];
    const names = [...heardThrough, ...this.#config.interfaces, ""];
    const near = names.map((name) => this.#parts.wire.through?.(name)).find((each) => each !== undefined);
    const ingress: Ingress6 = near ?? { ...NO_INGRESS, lab: subnets.length > 0 };
    // Through a relay, it is one that is believed.
    const [sourceAddress = ingress.sourceAddress] = isRelayed(query) ? relays : [];
    const packet = solicitOf(query, sourceAddress, this.#config);
    return this.explainPacket(packet, { ...ingress, sourceAddress }, batch);
  }

  /** What a packet would lead to; all of it in the batch. */
  explainPacket(packet: Packet6, ingress: Ingress6, batch: Batch): Explanation6 {
    return explain6(packet, ingress, this.#view(batch));
  }

  /** Leases that ended long ago; answers whether there may be more. */
  #forget(batch: Batch, limit: number): boolean {
    let left = limit;
    const pending = { batch, part: this.#part(batch) };
    const ofPools = this.#config.v6.pools.map((pool) => this.leases.longFree(pool));
    for (const free of [...ofPools, this.leases.longFreeOutside()]) {
      const old: bigint[] = [];
      for (const { address, until } of free) {
        if (until + REMEMBER_SECONDS > batch.now || old.length >= left) break;
        old.push(address);
      }
      for (const address of old) {
        const binding = pending.part.leases.find(address);
        const isOver = binding?.state === STATE.expired || binding?.state === STATE.released;
        if (isOver && batch.failover.mayForget(address)) this.#recorder.erase(pending, address);
      }
      left -= old.length;
      if (left <= 0) return true;
    }
    return false;
  }

  #part(batch: Batch): Batch6 {
    batch.v6 ??= new Batch6(
      new PendingLeases(this.leases, MAX_OFFERS, (binding) => this.#overlaps.add(binding)),
      this.#parts.store,
    );
    return batch.v6;
  }

  /** The same for all packets of a batch. */
  #view(batch: Batch): View6 {
    if (this.#viewed?.batch === batch) return this.#viewed;
    const declines = this.#declines.within(batch);
    const grants = this.#grants.within(batch);
    const hashOf = (duid: Uint8Array) => this.leases.identityHash(duid);
    this.#viewed = {
      now: batch.now,
      config: this.#config,
      batch,
      part: this.#part(batch),
      effects: this.#recorder,
      serverId: this.#serverId,
      isServer: (address) => this.#servers.withheld.has(address),
      declinesOf: (duid) => declines.count(hashOf(duid)),
      declined: (duid) => declines.add(hashOf(duid)),
      grantsOf: (duid) => grants.count(hashOf(duid)),
      granted: (duid) => grants.add(hashOf(duid)),
      newLeases: this.#newLeases.within(batch, this.#config.v6.newLeasesPerHour),
      registrations: this.#registrations.within(batch, this.#config.v6.newLeasesPerHour),
      hashOf,
      overlaps: this.#overlaps,
      placeOf: this.#placeOf,
      reconfigureKeyOf: this.#keyOf,
      failover: batch.failover,
      random: this.#parts.random,
      trail: undefined,
    };
    return this.#viewed;
  }

  #rebuild(): void {
    const now = Math.floor(this.#parts.clock.now() / 1000);
    this.leases.rebuild(planOf6(this.#config.v6, this.#servers.withheld), now);
    this.#overlaps = this.#overlaps.after(this.#config.v6, this.leases, now);
    this.#coverPlaces(now);
  }

  /** Once for all clients: each would look at every place that is not to be had. */
  #coverPlaces(now: number): void {
    for (const [place, across] of this.#overlaps.placesAround(this.leases, now))
      this.leases.cover(place, across);
  }

  /** Room for a reply until its batch is sent. */
  #room(place: number): Uint8Array {
    if (place >= MAX_REPLIES) return new Uint8Array(MAX_REPLY6);
    return this.#replies.subarray(place * MAX_REPLY6, (place + 1) * MAX_REPLY6);
  }
}

const NOBODY = new Uint8Array(0);

const NO_INGRESS: Ingress6 = {
  interfaceName: "",
  addresses: [],
  sourceAddress: 0n,
  sourcePort: 546,
  unicast: false,
  lab: false,
};
