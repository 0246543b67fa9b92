import type { Clock } from "@frontdesk/kit/clock";
import type { Config } from "@frontdesk/lease-config/config";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { type Destination, destinationOf } from "../dhcp4/destination.ts";
import type { Exchange, Ingress } from "../dhcp4/exchange.ts";
import { type ExplainQuery, type Explanation, explain } from "../dhcp4/explain.ts";
import { forceRenewMessage } from "../dhcp4/force-renew.ts";
import { Ledger } from "../dhcp4/ledger.ts";
import { loadLeases } from "../dhcp4/load-leases.ts";
import { decodeMessage, encodeMessage } from "../dhcp4/message.ts";
import { newExchange, type View } from "../dhcp4/new-exchange.ts";
import { runSteps } from "../dhcp4/pipeline.ts";
import { LARGEST_REPLY, replyMessage, replySize } from "../dhcp4/reply-message.ts";
import { isFree, LeaseTable, STATE } from "../leases/lease-table.ts";
import type { LeaseStore } from "../store/lease-store.ts";
import type { Counter, Counters } from "./counters.ts";
import { Probes } from "./probes.ts";

export interface Datagram {
  readonly bytes: Uint8Array;
  readonly ingress: Ingress;
}

export interface Outgoing {
  readonly bytes: Uint8Array;
  readonly destination: Destination;
  readonly ingress: Ingress;
}

/** What the engine needs of the network. */
export interface Wire {
  send(batch: readonly Outgoing[]): void;
  /** Asks on the link or by echo whether someone answers for an address. */
  probe(address: number, ingress: Ingress): void;
  isOurs(address: number): boolean;
  /** Where a message of the engine's own goes out to an address. */
  towards(address: number): Ingress | undefined;
}

export interface EngineLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface EngineParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly store: LeaseStore;
  readonly wire: Wire;
  readonly counters: Counters;
  readonly random: (size: number) => Uint8Array;
  readonly log: EngineLog;
}

/** Replies in one batch; what comes in at once beyond this is another batch. */
export const BATCH = 256;
const EXPIRE_AT_ONCE = 1000;
const EXHAUSTION_NOTICE_MS = 60_000;

const RECEIVED: readonly Counter[] = [
  "received_bootp",
  "received_discover",
  "received_other",
  "received_request",
  "received_decline",
  "received_other",
  "received_other",
  "received_release",
  "received_inform",
];
const DROPPED: Readonly<Record<string, Counter>> = {
  "no free address": "drop_no_address",
  "it chose another server": "drop_other_server",
};

/** The DHCP server without its sockets: packets in, leases on disk, packets out. */
export class Engine {
  readonly leases: LeaseTable;
  readonly #parts: EngineParts;
  readonly #ledger: Ledger;
  readonly #probes: Probes;
  readonly #slab = new Uint8Array(BATCH * LARGEST_REPLY);
  #config: Config;
  #used = 0;
  #early: Outgoing[] = [];
  #late: Outgoing[] = [];
  #exhaustionToldAt = 0;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#config = parts.config;
    const secret = parts.random(4).reduce((sum, octet) => (sum << 8) | octet, 0);
    this.leases = new LeaseTable(parts.config, this.#seconds(), secret);
    this.#ledger = new Ledger(this.leases, (ip) => parts.store.find(ip));
    this.#probes = new Probes();
    this.#load();
  }

  get config(): Config {
    return this.#config;
  }

  /** Handles what came in together: one commit for all of it, and no ACK before that. */
  handle(batch: readonly Datagram[]): void {
    for (let from = 0; from < batch.length; from += BATCH) {
      for (const datagram of batch.slice(from, from + BATCH)) this.#guarded(datagram);
      this.#settle();
    }
  }

  /** What time brings: leases end, probes end. */
  tick(): void {
    const now = this.#parts.clock.now();
    this.leases.expireDue(Math.floor(now / 1000), EXPIRE_AT_ONCE, (slot) => {
      if (this.#ledger.expire(slot, now)) this.#parts.counters.add("expired");
    });
    this.#settle();
    this.handle(this.#probes.finished(now));
    this.#parts.counters.set("active_leases", this.leases.active);
  }

  /** The next moment something is to be done, in milliseconds from now. */
  patience(): number {
    return this.#probes.patience(this.#parts.clock.now());
  }

  /** Someone answered for an address that was about to be offered. */
  answered(address: number): void {
    const datagram = this.#probes.answered(address);
    if (!datagram) return;
    const now = this.#parts.clock.now();
    this.#parts.counters.add("conflicts");
    this.#ledger.conflict(address, now, Math.floor(now / 1000) + this.#config.declineQuarantine);
    this.#guarded(datagram);
    this.#settle();
  }

  reload(config: Config): void {
    const regrouped = config.identity !== this.#config.identity;
    this.#config = config;
    this.leases.rebuild(config, this.#seconds());
    if (regrouped) this.#load();
    this.#parts.counters.add("reloads");
  }

  /** Ends a lease from outside; false when the address has none. */
  release(address: number): boolean {
    const slot = this.leases.find(address);
    if (slot === undefined || this.leases.state(slot) === STATE.none || isFree(this.leases.state(slot)))
      return false;
    if (this.leases.state(slot) === STATE.offered) this.#ledger.withdraw(slot, this.#seconds());
    else this.#ledger.clear(slot, this.#parts.clock.now());
    this.#settle();
    return true;
  }

  explain(query: ExplainQuery): Explanation {
    const ingress = query.ingress ?? this.#parts.wire.towards(query.giaddr) ?? noIngress;
    return explain(query, this.#view(ingress));
  }

  /** RFC 3203: tells a client to renew now; the reason when it cannot be told. */
  forceRenew(address: number): "sent" | "no_lease" | "no_nonce" | "no_way" {
    const slot = this.leases.find(address);
    const lease =
      slot !== undefined && this.leases.state(slot) === STATE.bound && this.#parts.store.find(address);
    if (!lease) return "no_lease";
    // RFC 6704 section 3.1.3: without a nonce the client could not tell it from a forgery.
    if (!lease.nonce) return "no_nonce";
    const ingress = this.#parts.wire.towards(address);
    if (!ingress) return "no_way";
    const bytes = forceRenewMessage(
      lease,
      ingress.addresses[0] ?? 0,
      this.#parts.clock.now(),
      this.#parts.random(4),
    );
    this.#parts.wire.send([{ bytes, destination: { address, port: 68, hardware: undefined }, ingress }]);
    this.#parts.counters.add("sent_forcerenew");
    return "sent";
  }

  #seconds(): number {
    return Math.floor(this.#parts.clock.now() / 1000);
  }

  #load(): void {
    loadLeases(this.#config, this.#parts.store, this.leases);
  }

  #view(ingress: Ingress): View {
    return {
      now: this.#seconds(),
      config: this.#config,
      leases: this.leases,
      isOurs: this.#parts.wire.isOurs,
      random: this.#parts.random,
      ingress,
      trail: undefined,
    };
  }

  /** A packet that brings out a mistake of ours costs its sender a reply, and nobody else anything. */
  #guarded(datagram: Datagram): void {
    try {
      this.#exchange(datagram);
    } catch (error) {
      this.#parts.counters.add("drop_other");
      const packet = Buffer.from(datagram.bytes).toString("hex");
      this.#parts.log.error({ err: error, packet }, "a packet could not be handled");
    }
  }

  #exchange(datagram: Datagram): void {
    const { counters } = this.#parts;
    const request = decodeMessage(datagram.bytes);
    counters.add("packets_received");
    if ("malformed" in request) {
      counters.add("parse_errors");
      return;
    }
    counters.add(RECEIVED[request.type] ?? "received_other");
    const x = newExchange(request, this.#view(datagram.ingress));
    const verdict = runSteps(x);
    if (verdict === "reply" && this.#mustProbe(x)) {
      this.#probes.start(x.address, datagram, this.#parts.clock.now() + this.#config.probeWaitMs);
      counters.add("probes");
      this.#ledger.apply(x, this.#parts.clock.now());
      this.#parts.wire.probe(x.address, x.ingress);
      return;
    }
    if (x.change) this.#ledger.apply(x, this.#parts.clock.now());
    if (verdict === "reply") this.#reply(x);
    else this.#countDrop(x);
  }

  /** RFC 2131 section 3.1: before an address is offered, the server may check that nobody uses it. */
  #mustProbe(x: Exchange): boolean {
    return (
      this.#config.probe &&
      !x.ingress.lab &&
      x.request.type === TYPE.discover &&
      !x.renewed &&
      this.#probes.wants(x.address, this.#parts.clock.now())
    );
  }

  #countDrop(x: Exchange): void {
    const { outcome } = x;
    if (outcome === "released" || outcome === "declined") return;
    this.#parts.counters.add(
      DROPPED[outcome] ?? (outcome.startsWith("no subnet") ? "drop_no_subnet" : "drop_other"),
    );
    if (outcome !== "no free address") return;
    const now = this.#parts.clock.now();
    if (now - this.#exhaustionToldAt < EXHAUSTION_NOTICE_MS) return;
    this.#exhaustionToldAt = now;
    this.#parts.log.warn({ network: x.network?.name }, "no free address: the pools of this network are full");
  }

  #reply(x: Exchange): void {
    const { request, draft } = x;
    if (!draft) return;
    const at = this.#used * LARGEST_REPLY;
    const out = this.#slab.subarray(at, at + LARGEST_REPLY);
    const { length } = encodeMessage(replyMessage(x, draft), out, replySize(request));
    this.#used++;
    const outgoing = { bytes: out.subarray(0, length), destination: destinationOf(x), ingress: x.ingress };
    // An ACK waits for the commit, and so does a NAK, whose event tells of it.
    if (draft.type === TYPE.offer) this.#early.push(outgoing);
    else this.#late.push(outgoing);
    this.#countReply(x, draft.type);
  }

  #countReply(x: Exchange, type: number): void {
    const name: Counter =
      x.request.type === 0
        ? "sent_bootp"
        : type === TYPE.offer
          ? "sent_offer"
          : type === TYPE.nak
            ? "sent_nak"
            : "sent_ack";
    this.#parts.counters.add(name);
  }

  /** Sends the offers, commits, sends the rest. What could not be committed is not promised. */
  #settle(): void {
    const [early, late] = [this.#early, this.#late];
    if (early.length > 0) this.#parts.wire.send(early);
    const committed = this.#commit();
    if (late.length > 0) {
      if (committed) this.#parts.wire.send(late);
      else this.#parts.counters.add("drop_store", late.length);
    }
    if (early.length > 0) this.#early = [];
    if (late.length > 0) this.#late = [];
    this.#used = 0;
  }

  #commit(): boolean {
    const { writes, events } = this.#ledger.take();
    if (writes.length === 0 && events.length === 0) return true;
    const startedAt = performance.now();
    try {
      this.#parts.store.commit(writes, events);
      this.#parts.counters.add("store_commits");
      return true;
    } catch (error) {
      this.#parts.counters.add("store_errors");
      this.#parts.log.error(
        { err: error },
        "leases could not be written: no lease is acknowledged until they can",
      );
      return false;
    } finally {
      this.#parts.counters.add("store_seconds", (performance.now() - startedAt) / 1000);
    }
  }
}

const noIngress: Ingress = { interfaceName: "", addresses: [], sourceAddress: 0, sourcePort: 68, lab: false };
