import { formatIpv4 } from "@frontdesk/lease-options/address";
import { STATE, type State } from "../src/leases/binding.ts";
import { placementHash } from "../src/leases/identity-index.ts";

/** A DHCP server as one would explain it: maps and lists, no time of its own, nothing clever. */

export const LEASE = 100;
const OFFER = 10;
const QUARANTINE = 300;
const FOLD = 86_400;
const MAX_DECLINES = 5;
export const POOL = [0x0a4d000a, 0x0a4d000d] as const;
export const RESERVED = 0x0a4d0032;
/** The client that the address is reserved for. */
const OWNER = 0;
export const identityOf = (client: number) => Uint8Array.of(0, 1, 2, 0, 0, 0, 0, client);

export interface Slot {
  readonly client: number | undefined;
  readonly state: State;
  readonly starts: number;
  readonly until: number;
  readonly told: number;
}

interface Row {
  readonly client: number | undefined;
  readonly state: State;
  readonly starts: number;
  readonly until: number;
  readonly renewals: number;
  readonly told: number;
}

export type Request =
  | { readonly do: "discover"; readonly client: number; readonly address: number }
  | { readonly do: "select" | "reboot" | "renew"; readonly client: number; readonly address: number }
  | {
      readonly do: "select-other" | "release" | "decline";
      readonly client: number;
      readonly address: number;
    };

export interface Snapshot {
  /** In memory, in the order of the last change. */
  slots: Map<number, Slot>;
  disk: Map<number, Row>;
  events: string[];
  counters: Map<string, number>;
  /** By client and hour. */
  declines: Map<string, number>;
}

export class Reference {
  state: Snapshot = {
    slots: new Map(),
    disk: new Map(),
    events: [],
    counters: new Map(),
    declines: new Map(),
  };
  /** What a batch that is not committed yet would make of it. */
  #draft: Snapshot = this.state;
  #touched: number[] = [];
  #writes = 0;
  #replies: string[] = [];

  /** All of them decided one after the other; then all of it is so, or nothing. */
  batch(now: number, broken: boolean, decide: () => void): string[] {
    this.#draft = {
      slots: new Map(this.state.slots),
      disk: new Map(this.state.disk),
      events: [...this.state.events],
      counters: new Map(this.state.counters),
      declines: new Map(this.state.declines),
    };
    this.#touched = [];
    this.#writes = 0;
    this.#replies = [];
    this.#now = now;
    decide();
    if (broken && this.#writes > 0) {
      const counters = this.state.counters;
      counters.set("drop_store", (counters.get("drop_store") ?? 0) + this.#replies.length);
      return [];
    }
    this.state = this.#draft;
    return this.#replies;
  }

  #now = 0;

  packet(request: Request): void {
    const { client, address } = request;
    if (request.do === "discover") this.#discover(client, address);
    else if (request.do === "select") this.#select(client, address);
    else if (request.do === "select-other") {
      const offered = this.#own(client).find(([, slot]) => slot.state === STATE.offered);
      if (offered) this.#withdraw(offered[0]);
      this.#count("drop_other_server_chosen");
    } else if (request.do === "reboot") this.#reboot(client, address);
    else if (request.do === "renew") this.#renew(client, address);
    else if (request.do === "release") this.#release(client, address);
    else this.#decline(client, address);
  }

  tick(): void {
    const due = [...this.#draft.slots].filter(
      ([, { state, until }]) => state !== STATE.released && state !== STATE.expired && until < this.#now,
    );
    due.sort(([a, x], [b, y]) => x.until - y.until || a - b);
    for (const [address, slot] of due) {
      if (slot.state === STATE.offered) this.#withdraw(address);
      else if (slot.state === STATE.declined) this.#remove(address);
      else {
        const renewals = this.#draft.disk.get(address)?.renewals ?? 0;
        this.#free(address, STATE.expired, slot.until);
        this.#tell("expire", address, slot.client, null, renewals);
        this.#count("expired");
      }
    }
  }

  clear(address: number): boolean {
    const slot = this.#draft.slots.get(address);
    if (slot?.state === STATE.offered) this.#withdraw(address);
    else if (slot?.state === STATE.bound || slot?.state === STATE.declined) {
      const { renewals = 0, client } = this.#draft.disk.get(address) ?? {};
      if (slot.state === STATE.bound) this.#free(address, STATE.released, this.#now);
      else this.#remove(address);
      this.#tell("release", address, client, "by-hand", renewals);
    } else return false;
    return true;
  }

  restart(): void {
    const slot = ([address, { renewals, ...row }]: [number, Row]) => [address, row] as const;
    this.state.slots = new Map([...this.state.disk].map(slot));
    this.state.counters = new Map();
    this.state.declines = new Map();
  }

  #discover(client: number, requested: number): void {
    const address = this.#choose(client, requested);
    if (address === undefined) {
      this.#count("drop_no_free_address");
      this.#tell("refusal", 0, client, "no-free-address");
      return;
    }
    const slot = this.#draft.slots.get(address);
    if (slot?.state !== STATE.bound) {
      for (const [other, { state }] of this.#own(client)) {
        if (other !== address && state === STATE.offered) this.#withdraw(other);
      }
      this.#put(address, { client, state: STATE.offered, starts: 0, until: this.#now + OFFER, told: 0 });
    }
    this.#count("sent_offer");
    this.#replies.push(`OFFER ${formatIpv4(address)}`);
  }

  #select(client: number, address: number): void {
    const offered = this.#own(client).some(
      ([ip, { state }]) => ip === address && (state === STATE.bound || state === STATE.offered),
    );
    if (!offered && !(client === OWNER && address === RESERVED)) {
      this.#refuse(client, address, this.#draft.slots.has(address) ? "not-available" : "not-offered");
      return;
    }
    if (!this.#isOpen(client, address)) {
      this.#refuse(client, address, "not-available");
      return;
    }
    this.#bind(client, address, false);
  }

  #reboot(client: number, address: number): void {
    if (this.#own(client).length === 0 && client !== OWNER) {
      this.#count("drop_unknown_client");
      return;
    }
    if (!this.#keep(client, address, false)) this.#refuse(client, address, "not-its-address");
  }

  #renew(client: number, address: number): void {
    if (this.#keep(client, address, true)) return;
    if (this.#draft.slots.has(address) || this.#own(client).length > 0) {
      this.#refuse(client, address, "not-its-address");
      return;
    }
    if (this.#isOpen(client, address)) this.#bind(client, address, true);
    else this.#count("drop_unknown_client");
  }

  #keep(client: number, address: number, renewing: boolean): boolean {
    if (client === OWNER && address !== RESERVED && this.#isOpen(client, RESERVED)) {
      this.#refuse(client, address, "reserved-another");
      return true;
    }
    const its =
      this.#draft.slots.get(address)?.client === client || (client === OWNER && address === RESERVED);
    if (!its || !this.#isOpen(client, address)) return false;
    this.#bind(client, address, renewing);
    return true;
  }

  #release(client: number, address: number): void {
    const slot = this.#draft.slots.get(address);
    if (slot?.state !== STATE.bound || slot.client !== client) {
      this.#count("drop_not_held");
      return;
    }
    const renewals = this.#draft.disk.get(address)?.renewals ?? 0;
    this.#free(address, STATE.released, slot.until);
    this.#tell("release", address, client, null, renewals);
  }

  #decline(client: number, address: number): void {
    const slot = this.#draft.slots.get(address);
    const active = slot?.state === STATE.bound || slot?.state === STATE.offered;
    if (!active || slot.client !== client) {
      this.#count("drop_not_held");
      return;
    }
    const hour = `${client} ${Math.floor(this.#now / 3600)}`;
    const declines = this.#draft.declines.get(hour) ?? 0;
    if (declines >= MAX_DECLINES) {
      this.#count("drop_decline_limit");
      return;
    }
    this.#draft.declines.set(hour, declines + 1);
    const row = {
      client: undefined,
      state: STATE.declined,
      starts: 0,
      until: this.#now + QUARANTINE,
      told: 0,
    };
    this.#put(address, row);
    this.#draft.disk.set(address, { ...row, renewals: 0 });
    this.#writes++;
    this.#tell("decline", address, client, null);
  }

  #choose(client: number, requested: number): number | undefined {
    if (client === OWNER && this.#isOpen(client, RESERVED)) return RESERVED;
    const own = this.#own(client);
    const mine =
      own.find(([, { state }]) => state === STATE.bound) ??
      own.find(([, { state }]) => state === STATE.offered) ??
      own[0];
    if (mine && this.#isOpen(client, mine[0])) return mine[0];
    if (requested !== 0 && this.#isOpen(client, requested) && !this.#rests(client, requested))
      return requested;
    return this.#unused(client) ?? this.#longestFree();
  }

  #unused(client: number): number | undefined {
    const size = POOL[1] - POOL[0] + 1;
    const start = placementHash(identityOf(client)) % size;
    const inTurn = Array.from({ length: size }, (_, i) => POOL[0] + ((start + i) % size));
    const { slots } = this.#draft;
    return (
      inTurn.find((address) => !slots.has(address) && !this.#touched.includes(address)) ??
      this.#touched.find((address) => inPool(address) && !slots.has(address))
    );
  }

  /** The one whose time ends first; what the batch itself has freed comes last. */
  #longestFree(): number | undefined {
    const free = [...this.#draft.slots].filter(
      ([address, { state }]) => inPool(address) && (state === STATE.released || state === STATE.expired),
    );
    const kept = free.filter(([address]) => !this.#touched.includes(address));
    kept.sort(([one, a], [other, b]) => a.until - b.until || one - other);
    return (kept[0] ?? free[0])?.[0];
  }

  #rests(client: number, address: number): boolean {
    const slot = this.#draft.slots.get(address);
    return slot?.state === STATE.released && slot.until > this.#now && slot.client !== client;
  }

  #isOpen(client: number, address: number): boolean {
    const mine = client === OWNER && address === RESERVED;
    if (!mine && !inPool(address)) return false;
    const slot = this.#draft.slots.get(address);
    if (!slot || slot.state === STATE.released || slot.state === STATE.expired) return true;
    return slot.state !== STATE.declined && slot.client === client;
  }

  /** The one that it was given last first. */
  #own(client: number): Array<[number, Slot]> {
    return [...this.#draft.slots]
      .filter(([, slot]) => slot.client === client)
      .sort(([one, a], [other, b]) => b.starts - a.starts || b.until - a.until || one - other);
  }

  #bind(client: number, address: number, renewing: boolean): void {
    const before = this.#draft.slots.get(address);
    const renewed = before?.state === STATE.bound && before.client === client;
    for (const [other, { state }] of this.#own(client)) {
      if (other === address) continue;
      if (state === STATE.offered) this.#withdraw(other);
      if (this.#draft.slots.get(other)?.client !== client) continue;
      if (state === STATE.bound) {
        this.#tell("release", other, client, "moved", this.#draft.disk.get(other)?.renewals ?? 0);
      }
      this.#remove(other);
    }
    const until = this.#now + LEASE;
    const starts = renewed ? before.starts : this.#now;
    const row = this.#draft.disk.get(address);
    this.#writes++;
    if (renewed && renewing && row && this.#now - before.told < FOLD) {
      this.#put(address, { ...before, until });
      this.#draft.disk.set(address, { ...row, until, renewals: row.renewals + 1 });
    } else {
      const slot = { client, state: STATE.bound, starts, until, told: this.#now };
      this.#put(address, slot);
      this.#draft.disk.set(address, { ...slot, renewals: 0 });
      this.#tell(renewed ? "renew" : "grant", address, client, null, renewed ? (row?.renewals ?? 0) + 1 : 0);
    }
    this.#count("sent_ack");
    this.#replies.push(`ACK ${formatIpv4(address)}`);
  }

  #refuse(client: number, address: number, reason: string): void {
    this.#tell("nak", address, client, reason);
    this.#count("sent_nak");
    this.#replies.push("NAK 0.0.0.0");
  }

  #withdraw(address: number): void {
    const row = this.#draft.disk.get(address);
    if (!row) this.#put(address, undefined);
    else {
      const { renewals, ...slot } = row;
      this.#put(address, slot);
    }
  }

  #free(address: number, state: State, until: number): void {
    const slot = this.#draft.slots.get(address) as Slot;
    this.#put(address, { ...slot, state, until, told: 0 });
    const row = this.#draft.disk.get(address);
    if (row) this.#draft.disk.set(address, { ...row, state, until, told: 0 });
    this.#writes++;
  }

  #remove(address: number): void {
    this.#put(address, undefined);
    this.#draft.disk.delete(address);
    this.#writes++;
  }

  #put(address: number, slot: Slot | undefined): void {
    this.#draft.slots.delete(address);
    if (slot) this.#draft.slots.set(address, slot);
    this.#touched = [...this.#touched.filter((each) => each !== address), address];
  }

  #tell(
    type: string,
    address: number,
    client: number | undefined,
    reason: string | null,
    renewals = 0,
  ): void {
    this.#writes++;
    this.#draft.events.push([type, formatIpv4(address), client, reason, renewals].join(" "));
  }

  #count(name: string): void {
    this.#draft.counters.set(name, (this.#draft.counters.get(name) ?? 0) + 1);
  }
}

const inPool = (address: number) => address >= POOL[0] && address <= POOL[1];
