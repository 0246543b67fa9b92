import { type Config, type Pool, subnetOf } from "@frontdesk/lease-config/config";
import type { ImportRefusal } from "@frontdesk/lease-control-api/lease-import";
import { formatIpv4, textBytes } from "@frontdesk/lease-options/address";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { ipv4 } from "../leases/address-family.ts";
import { type Binding, STATE, timeIn } from "../leases/binding.ts";
import { ClientWindow } from "../leases/client-window.ts";
import { EventBudget } from "../leases/event-budget.ts";
import type { ForeignLease, LeaseRecord } from "../leases/lease-record.ts";
import { LeaseTable } from "../leases/lease-table.ts";
import { poolSize } from "../leases/pool-space.ts";
import { printable } from "../leases/shown-text.ts";
import type { Batch } from "../loop/batch.ts";
import type { Counters } from "../loop/counters.ts";
import type { EngineLog, Protocol } from "../loop/engine.ts";
import type { EngineClock } from "../loop/engine-clock.ts";
import type { LeaseStore } from "../loop/lease-store.ts";
import type { PairedFamily, PairedStore } from "../loop/paired-family.ts";
import { ServerAddresses } from "../loop/server-addresses.ts";
import type { Datagram, Ingress, ProbeAnswer, Waiting, Wire } from "../loop/wire.ts";
import { planOf, usesOf } from "./address-plan.ts";
import { isOfItsDevice } from "./allocation-request.ts";
import { bindingsOf } from "./bindings.ts";
import { decide } from "./decide.ts";
import { destinationOf } from "./destination.ts";
import type { Decision, Exchange, View } from "./exchange.ts";
import { type ExplainQuery, type Explanation, explain } from "./explain.ts";
import { forceRenewMessage } from "./force-renew.ts";
import { identityOf } from "./identify.ts";
import { ETHERNET, importVerdict4 } from "./import-lease.ts";
import { decodeMessage, encodeMessage, type Message } from "./message.ts";
import { Notices } from "./notices.ts";
import { counterOf, RECEIVED } from "./outcomes.ts";
import { pairedLeases } from "./paired-leases.ts";
import { Probes } from "./probes.ts";
import { Recorder } from "./record.ts";
import { addressTowards, MAX_REPLY, replySize, replyTo, serverIdentifier } from "./reply.ts";

export interface Dhcp4Parts {
  readonly config: Config;
  /** The version of the configuration, for the history. */
  readonly version: string;
  readonly clock: EngineClock;
  readonly store: LeaseStore;
  readonly wire: Wire;
  readonly counters: Counters;
  readonly random: (size: number) => Uint8Array;
  readonly log: EngineLog;
}

/** Replies of one batch that need no memory of their own. */
const MAX_REPLIES = 256;

/** DHCPv4: what each packet, each second and each answer to a probe leads to. */
export class Dhcp4 implements Protocol {
  readonly leases: LeaseTable<number, Pool>;
  readonly #parts: Dhcp4Parts;
  readonly #budget = new EventBudget();
  readonly #recorder: Recorder;
  readonly #probes = new Probes();
  readonly #declines = new ClientWindow();
  readonly #replies = new Uint8Array(MAX_REPLIES * MAX_REPLY);
  readonly #notices: Notices;
  readonly #servers: ServerAddresses<number>;
  #config: Config;
  #viewed:
    | {
        readonly batch: Batch;
        readonly view: View;
        readonly probed: Map<number, Uint8Array>;
        readonly declines: number[];
      }
    | undefined;

  constructor(parts: Dhcp4Parts) {
    this.#parts = parts;
    this.#config = parts.config;
    this.#notices = new Notices(parts.log);
    this.#servers = new ServerAddresses(() => parts.wire.ownAddresses(), formatIpv4, parts.log);
    this.#servers.withhold(usesOf(this.#config));
    const secret = parts.random(4).reduce((sum, octet) => (sum << 8) | octet, 0);
    const plan = planOf(this.#config, this.#servers.withheld);
    this.leases = new LeaseTable(ipv4, plan, this.#seconds(), secret);
    this.#recorder = new Recorder(
      this.#budget,
      (identity) => this.leases.identityHash(identity),
      parts.version,
      parts.config.identity,
    );
    this.#load();
  }

  get config(): Config {
    return this.#config;
  }

  /** Of the configuration. */
  get version(): string {
    return this.#recorder.version;
  }

  /** The leases as a pair of servers needs them. */
  paired(store: PairedStore<number, LeaseRecord>): PairedFamily<number> {
    return pairedLeases(this.leases, this.#recorder, () => this.#config, this.#parts.store, store, {
      renew: (lease) => void this.#forceRenew(lease),
      meet: ({ addresses }) => {
        this.#servers.peer = addresses;
        this.addressesChanged();
      },
    });
  }

  receive(datagram: Datagram, batch: Batch): void {
    const { counters } = this.#parts;
    counters.add("packets_received");
    const request = decodeMessage(datagram.bytes);
    if ("malformed" in request) {
      counters.add("parse_errors");
      return;
    }
    counters.add(RECEIVED[request.type] ?? "received_other");
    this.#exchange(datagram, request, batch);
  }

  /** A client whose address someone answered for gets another one; nobody gets that one until this is written. */
  resume(waiting: Waiting, batch: Batch): void {
    const { conflict } = waiting;
    if (conflict !== undefined) {
      batch.after(() => this.#probes.end(conflict));
      // Who has it answers: the waiting client, if it is another, gets another address.
      const isBound = batch.leases.find(conflict)?.state === STATE.bound;
      if (isBound) this.#probes.holderAnswered(conflict, batch.nowMs);
      else this.#recorder.conflict(batch, conflict, batch.now + this.#config.declineQuarantine);
    }
    const request = decodeMessage(waiting.bytes);
    if (!("malformed" in request)) this.#exchange(waiting, request, batch);
  }

  takeWaiting(now: number): Waiting[] {
    return this.#probes.finished(now);
  }

  answered(answer: ProbeAnswer, batch: Batch): void {
    const waiting = this.#probes.answered(answer);
    if (waiting) this.resume(waiting, batch);
  }

  expire(batch: Batch, limit: number): void {
    const due: Binding<number>[] = [];
    const later: number[] = [];
    for (const binding of this.leases.due(batch.overBy)) {
      if (due.length + later.length === limit) break;
      // When a lease ends is for the pair to say; an offer is this node's own.
      if (batch.failover.isPaired && binding.state !== STATE.offered) later.push(binding.address);
      else due.push(binding);
    }
    for (const address of later) this.leases.postpone(address);
    // The one that ended first is the one that has been free the longest.
    due.sort((a, b) => a.until - b.until || a.address - b.address);
    for (const binding of due) this.#recorder.expire(batch, binding);
  }

  patience(now: number): number {
    return this.#probes.patience(now);
  }

  reload(config: Config, version: string): void {
    const regrouped = config.identity !== this.#config.identity;
    this.#config = config;
    this.#recorder.version = version;
    this.#recorder.identity = config.identity;
    this.#servers.withhold(usesOf(this.#config));
    this.#rebuild();
    if (regrouped) this.#load();
    this.#parts.counters.add("reloads");
  }

  /** The addresses of the engine, or of its peer, may be others now. */
  addressesChanged(): void {
    if (this.#servers.withhold(usesOf(this.#config))) this.#rebuild();
  }

  /** Ends a lease, an offer or a quarantine from outside; false when the address has none. */
  release(address: number, batch: Batch): boolean {
    return this.#recorder.clear(batch, address);
  }

  /**
   * Takes over a lease of another server; or the reason why not. "pending": it is here, and the peer does not have it yet;
   * whether it has is told when the same is asked again.
   */
  import(lease: ForeignLease, batch: Batch): ImportRefusal | "pending" | undefined {
    const { mac, clientId } = lease;
    const identity = identityOf(this.#config, ETHERNET, mac, clientId);
    const until = timeIn(lease.until, batch.offsetSeconds);
    if (!identity || until <= batch.now) return "expired";
    const view = { config: this.#config, servers: this.#servers.withheld, batch };
    const verdict = importVerdict4(lease, identity, until, view);
    if ("refusal" in verdict) return verdict.refusal;
    const { isHeld, isKnown, isReserved } = verdict;
    if (!isHeld) {
      const hostname = (lease.hostname && printable(textBytes(lease.hostname))) || null;
      this.#recorder.adopt(batch, identity, { ...lease, hostname, htype: ETHERNET, until }, isReserved);
    }
    return isKnown ? undefined : "pending";
  }

  /** With a batch that is dropped. */
  explain(query: ExplainQuery, batch: Batch): Explanation {
    const ingress = this.#parts.wire.towards(query.giaddr, query.interface) ?? noIngress;
    return explain(query, ingress, this.#view(batch));
  }

  /** RFC 3203: tells a client to renew now; the reason when it cannot be told. */
  forceRenew(address: number): "sent" | "no_lease" | "no_nonce" | "no_way" {
    const isBound = this.leases.find(address)?.state === STATE.bound;
    const lease = isBound ? this.#parts.store.find(address) : undefined;
    return lease ? this.#forceRenew(lease) : "no_lease";
  }

  #forceRenew(lease: LeaseRecord): "sent" | "no_nonce" | "no_way" {
    const { wire, clock, random, counters } = this.#parts;
    const { ip: address } = lease;
    // RFC 6704 section 3.1.3: without a nonce the client could not tell it from a forgery.
    if (!lease.nonce) return "no_nonce";
    const ingress = wire.towards(address, lease.interface ?? undefined);
    if (!ingress) return "no_way";
    const source = addressTowards(subnetOf(this.#config, address)?.network, ingress);
    const bytes = forceRenewMessage(lease, source, clock.replay(), random(4));
    wire.send([{ bytes, source, destination: { address, port: 68, hardware: undefined }, ingress }]);
    counters.add("sent_forcerenew");
    return "sent";
  }

  #rebuild(): void {
    this.leases.rebuild(planOf(this.#config, this.#servers.withheld), this.#seconds());
  }

  #seconds(): number {
    return Math.floor(this.#parts.clock.now() / 1000);
  }

  /** The same for all exchanges of a batch. */
  #view(batch: Batch): View {
    if (this.#viewed?.batch === batch) return this.#viewed.view;
    const probed = new Map<number, Uint8Array>();
    const declines: number[] = [];
    const view: View = {
      now: batch.now,
      replay: batch.replay,
      config: this.#config,
      leases: batch.leases,
      record: (ip) => batch.find(ip),
      isOurs: this.#parts.wire.isOurs,
      isPeers: (address) => this.#servers.isPeers(address),
      declinesOf: (mac) => {
        const client = this.leases.identityHash(mac);
        const here = declines.filter((each) => each === client).length;
        return here + this.#declines.count(client, batch.now);
      },
      isChurning: ({ name, pools }) => {
        const addresses = pools.reduce((sum, pool) => sum + poolSize(ipv4, pool), 0);
        return this.#budget.isChurning(name, addresses, batch.now);
      },
      isContested: (address) => this.#budget.isContested(address, batch.now),
      probedFor: (address) => probed.get(address) ?? this.#probes.clientOf(address),
      hasAnswered: (address) => this.#probes.hasAnswered(address, batch.nowMs),
      failover: batch.failover,
      random: this.#parts.random,
      trail: undefined,
    };
    this.#viewed = { batch, view, probed, declines };
    return view;
  }

  /** Decides a packet whole before anything of it goes into the batch: a fault leaves no half of it there. */
  #exchange(datagram: Datagram, request: Message, batch: Batch): void {
    const { decision, exchange } = decide(request, datagram.ingress, this.#view(batch));
    if (exchange && this.#mustProbe(exchange, decision)) {
      this.#probe(exchange, decision, datagram, batch);
      return;
    }
    const reply = exchange && replyTo(exchange, decision);
    const out = reply && this.#room(batch.replies.length);
    const encoded = out && encodeMessage(reply, out, replySize(request));
    if (exchange) this.#recorder.record(exchange, decision, batch);
    else if (isUntrustedRelay(decision)) this.#recorder.refuseRelay(request, batch);
    if (decision.outcome.kind === "declined") this.#countDecline(request.chaddr, batch);
    const counter = counterOf(decision.outcome);
    if (counter) batch.count(counter);
    const left = encoded?.left ?? [];
    if (left.length > 0) batch.count("options_left_out", left.length);
    this.#notices.tell(decision, exchange, left, batch.nowMs);
    if (!exchange || !reply || !out || !encoded) return;
    batch.reply({
      bytes: out.subarray(0, encoded.length),
      source: serverIdentifier(exchange),
      destination: destinationOf(exchange, reply.type, reply.yiaddr),
      ingress: datagram.ingress,
      givesTime: reply.yiaddr !== 0,
    });
  }

  #countDecline(mac: Uint8Array, batch: Batch): void {
    const client = this.leases.identityHash(mac);
    this.#viewed?.declines.push(client);
    batch.after(() => this.#declines.add(client, batch.now));
  }

  /** Room for a reply until its batch is sent. */
  #room(place: number): Uint8Array {
    if (place >= MAX_REPLIES) return new Uint8Array(MAX_REPLY);
    return this.#replies.subarray(place * MAX_REPLY, (place + 1) * MAX_REPLY);
  }

  /** RFC 2131 section 3.1: before an address is offered, the server may check that nobody uses it. */
  #mustProbe(x: Exchange, { given }: Decision): boolean {
    if (!this.#config.probe || !given || x.ingress.lab || x.request.type !== TYPE.discover) return false;
    // An address that is or was this client's own may well answer: by its client.
    const its = x.leases
      .ofClient(x.identity, x.network.index)
      .find(({ address }) => address === given.address);
    if (its && its.state !== STATE.offered) return false;
    if (isOfItsDevice(x, given.address)) return false;
    const now = this.#parts.clock.now();
    return this.#probes.isOpen(given.address) || this.#probes.wants(given.address, now);
  }

  /** The address is held as by an offer, and nothing is bound, until it is known to be free. */
  #probe(x: Exchange, { given }: Decision, datagram: Datagram, batch: Batch): void {
    if (!given) return;
    const { address } = given;
    const effect = { kind: "offer", address, until: batch.now + this.#config.offerTime } as const;
    this.#recorder.record(x, { outcome: { kind: "offer" }, effect }, batch);
    this.#viewed?.probed.set(address, x.request.chaddr);
    const deadline = batch.nowMs + this.#config.probeWaitMs;
    batch.after(() => {
      const isAsked = this.#probes.isOpen(address);
      this.#probes.start(address, datagram, x.request.chaddr, deadline);
      if (isAsked) return;
      this.#parts.counters.add("probes");
      this.#parts.wire.probe(address, datagram.ingress);
    });
  }

  /** Brings what the store has into memory; offers are in memory alone, and stay. */
  #load(): void {
    for (const binding of bindingsOf(this.#config, this.#parts.store.all())) {
      if (this.leases.find(binding.address)?.state !== STATE.offered) this.leases.put(binding);
    }
  }
}

const isUntrustedRelay = ({ outcome }: Decision) =>
  outcome.kind === "silence" && outcome.reason === "untrusted-relay";

const noIngress: Ingress = {
  interfaceName: "",
  addresses: [],
  sourceAddress: 0,
  sourcePort: 68,
  unicast: false,
  lab: false,
};
