import type { Network } from "@frontdesk/lease-config/config";
import { CODE } from "@frontdesk/lease-options/option-table";
import { type LeaseTable, STATE } from "../leases/lease-table.ts";
import type { EventType, LeaseEvent, LeaseRecord, LeaseWrite } from "../store/lease-store.ts";
import type { Exchange } from "./exchange.ts";
import { printable, readFqdn } from "./fqdn.ts";

const NOBODY = new Uint8Array(0);
/** A flood of refusals fills no disk: beyond this many in a second they are only counted. */
const NAK_EVENTS_PER_SECOND = 100;

/** Carries changes into the table in memory, and gathers what the store is to keep of them. */
export class Ledger {
  readonly #leases: LeaseTable;
  readonly #lookUp: (ip: number) => LeaseRecord | undefined;
  #writes: LeaseWrite[] = [];
  #events: LeaseEvent[] = [];
  #nakSecond = 0;
  #naks = 0;

  constructor(leases: LeaseTable, lookUp: (ip: number) => LeaseRecord | undefined) {
    this.#leases = leases;
    this.#lookUp = lookUp;
  }

  /** What has gathered since the last time. */
  take(): { writes: readonly LeaseWrite[]; events: readonly LeaseEvent[] } {
    const taken = { writes: this.#writes, events: this.#events };
    if (taken.writes.length > 0) this.#writes = [];
    if (taken.events.length > 0) this.#events = [];
    return taken;
  }

  apply(x: Exchange, at: number): void {
    const { change } = x;
    if (!change) return;
    const slot = this.#leases.find(change.address);
    if (change.kind === "offer") this.#offer(x, change.address, change.until);
    else if (change.kind === "bind") this.#bind(x, at);
    else if (change.kind === "release") {
      if (slot !== undefined) this.#free(slot, STATE.released, x.now);
      this.#tell(x, "release", at, change.address, x.now, null);
    } else if (change.kind === "decline") {
      this.#quarantine(change.address, change.until);
      this.#tell(x, "decline", at, change.address, change.until, null);
    } else if (change.kind === "withdraw") {
      if (slot !== undefined) this.withdraw(slot, x.now);
    } else if (this.#mayTellNak(at)) this.#tell(x, "nak", at, change.address, 0, change.why);
  }

  /** An offer that nobody took: the address is as it was before. */
  withdraw(slot: number, now: number): void {
    const starts = this.#leases.starts(slot);
    if (starts === 0) this.#leases.forget(slot);
    else {
      this.#leases.put(this.#leases.address(slot), this.#leases.identity(slot), STATE.expired, starts, now);
    }
  }

  /** A slot whose time has come; answers whether it was a lease. */
  expire(slot: number, at: number): boolean {
    const now = Math.floor(at / 1000);
    const state = this.#leases.state(slot);
    const ip = this.#leases.address(slot);
    if (state === STATE.offered) {
      this.withdraw(slot, now);
      return false;
    }
    if (state === STATE.declined) {
      this.#leases.forget(slot);
      this.#writes.push({ kind: "remove", ip });
      return false;
    }
    this.#free(slot, STATE.expired, this.#leases.until(slot));
    this.#events.push(eventOf("expire", at, ip, this.#lookUp(ip)));
    return true;
  }

  /** Someone not of ours answers for the address. */
  conflict(address: number, at: number, until: number): void {
    this.#quarantine(address, until);
    this.#events.push({ ...eventOf("conflict", at, address, undefined), until });
  }

  /** Ends a lease or a quarantine by hand. */
  clear(slot: number, at: number): void {
    const ip = this.#leases.address(slot);
    const event = eventOf("release", at, ip, this.#lookUp(ip));
    if (this.#leases.state(slot) === STATE.declined) {
      this.#leases.forget(slot);
      this.#writes.push({ kind: "remove", ip });
    } else this.#free(slot, STATE.released, Math.floor(at / 1000));
    this.#events.push({ ...event, detail: "by hand" });
  }

  #offer(x: Exchange, address: number, until: number): void {
    const slot = this.#leases.find(address);
    const own = slot !== undefined && this.#leases.holds(slot, x.identity);
    if (own && this.#leases.state(slot) === STATE.bound) return;
    this.#leaveOther(x, address, 0);
    this.#leases.put(address, x.identity, STATE.offered, own ? this.#leases.starts(slot) : 0, until);
  }

  #bind(x: Exchange, at: number): void {
    const { change } = x;
    if (change?.kind !== "bind") return;
    this.#leaveOther(x, change.address, at);
    const slot = this.#leases.find(change.address);
    const starts = change.renewed && slot !== undefined ? this.#leases.starts(slot) : x.now;
    this.#leases.put(change.address, x.identity, STATE.bound, starts, change.until);
    const { request, relay } = x;
    const hostname = printable(request.options.get(CODE.hostName)) ?? null;
    this.#writes.push({
      kind: "put",
      lease: {
        ip: change.address,
        state: STATE.bound,
        htype: request.htype,
        mac: request.chaddr,
        clientId: request.options.get(CODE.clientIdentifier) ?? null,
        hostname,
        fqdn: readFqdn(request.options.get(CODE.clientFqdn)) ?? null,
        vendor: printable(request.options.get(CODE.vendorClass)) ?? null,
        classes: x.classes.length === 0 ? null : x.classes.map(({ name }) => name).join(","),
        starts,
        until: change.until,
        seen: x.now,
        giaddr: request.giaddr,
        circuitId: relay.circuitId ?? null,
        remoteId: relay.remoteId ?? null,
        nonce: change.nonce ?? null,
      },
    });
    this.#tell(x, change.renewed ? "renew" : "grant", at, change.address, change.until, null);
  }

  /** A client has one address on a network: what it had there before is given up. */
  #leaveOther(x: Exchange, address: number, at: number): void {
    for (const slot of this.#leases.slotsOfClient(x.identity, (x.network as Network).index)) {
      const ip = this.#leases.address(slot);
      const state = this.#leases.state(slot);
      if (ip === address) continue;
      if (state === STATE.offered) this.withdraw(slot, x.now);
      // An offer may still be turned down: what the client holds stays its own until it takes it.
      if (at === 0 || this.#leases.find(ip) === undefined) continue;
      if (state === STATE.bound) this.#tell(x, "release", at, ip, x.now, "moved to another address");
      this.#leases.forget(slot);
      this.#writes.push({ kind: "remove", ip });
    }
  }

  #free(slot: number, state: typeof STATE.released | typeof STATE.expired, until: number): void {
    const ip = this.#leases.address(slot);
    this.#leases.put(ip, this.#leases.identity(slot), state, this.#leases.starts(slot), until);
    this.#writes.push({ kind: "mark", ip, state, until });
  }

  #quarantine(address: number, until: number): void {
    this.#leases.put(address, NOBODY, STATE.declined, 0, until);
    this.#writes.push({
      kind: "put",
      lease: { ...EMPTY_RECORD, ip: address, state: STATE.declined, until },
    });
  }

  #mayTellNak(at: number): boolean {
    const second = Math.floor(at / 1000);
    if (second !== this.#nakSecond) this.#naks = 0;
    this.#nakSecond = second;
    return ++this.#naks <= NAK_EVENTS_PER_SECOND;
  }

  #tell(x: Exchange, type: EventType, at: number, ip: number, until: number, detail: string | null): void {
    const { request, relay } = x;
    this.#events.push({
      at,
      type,
      ip,
      mac: request.chaddr,
      clientId: request.options.get(CODE.clientIdentifier) ?? null,
      hostname: printable(request.options.get(CODE.hostName)) ?? null,
      giaddr: request.giaddr,
      circuitId: relay.circuitId ?? null,
      remoteId: relay.remoteId ?? null,
      until,
      detail,
    });
  }
}

const EMPTY_RECORD: LeaseRecord = {
  ip: 0,
  state: STATE.none,
  htype: 0,
  mac: NOBODY,
  clientId: null,
  hostname: null,
  fqdn: null,
  vendor: null,
  classes: null,
  starts: 0,
  until: 0,
  seen: 0,
  giaddr: 0,
  circuitId: null,
  remoteId: null,
  nonce: null,
};

function eventOf(type: EventType, at: number, ip: number, known: LeaseRecord | undefined): LeaseEvent {
  const { mac, clientId, hostname, giaddr, circuitId, remoteId } = known ?? EMPTY_RECORD;
  const until = Math.floor(at / 1000);
  return { at, type, ip, mac, clientId, hostname, giaddr, circuitId, remoteId, until, detail: null };
}
