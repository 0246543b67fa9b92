import type { DatabaseSync } from "node:sqlite";
import { sameBytes } from "@frontdesk/lease-options/address";
import { FOREVER, isOver, STATE } from "../leases/binding.ts";
import type { DeviceIdentity, NameHolder, NameRow } from "../leases/dns-name.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import { EventReader, type StoredEvent } from "./event-reader.ts";
import { LeasePages } from "./lease-pages.ts";
import { dueNames, identitiesAt, leavingAddresses, namesBeside } from "./name-rows.ts";
import { openForReading } from "./schema.ts";

/** Who held an address, and since when as far as the history goes back. */
export interface Holder {
  readonly ip: number | bigint;
  readonly duid: Uint8Array | null;
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null;
  readonly hostname: string | null;
  /** The event that tells of it; undefined when only the lease itself does. */
  readonly event: StoredEvent | undefined;
}

/** Reads what the packet worker writes, on a connection of its own: a long question holds up no packet. */
export class History {
  readonly path: string;
  readonly events: EventReader;
  readonly leases: LeasePages;
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.path = path;
    this.#database = openForReading(path);
    this.events = new EventReader(this.#database);
    this.leases = new LeasePages(this.#database);
  }

  close(): void {
    this.#database.close();
  }

  /**
   * Who had an address at a moment (milliseconds). Renewals that said nothing new are not events, so
   * the last grant may have been longer than it says: the event that ended it tells, or the lease.
   */
  holder(ip: number | bigint, at: number): Holder | undefined {
    const before = this.events.first({ ip, to: at });
    const started = before && (before.type === "grant" || before.type === "renew") ? before : undefined;
    if (before && !started) return undefined;
    if (started && (started.until === FOREVER || started.until * 1000 >= at)) return holderOf(started);
    const next = started && this.events.first({ ip, from: at + 1, after: started.id });
    if (next) return wasHeldUntil(next, started, at) ? holderOf(started) : undefined;
    const lease = typeof ip === "number" ? this.leases.find(ip) : this.leases.find6(ip);
    const now = at + this.clockOffset();
    const current = lease?.state === STATE.bound && lease.starts * 1000 <= now && !isOver(lease.until, now);
    if (!current || (started && !isSameClient(started, lease))) return undefined;
    const { mac, hostname } = lease;
    const { clientId, duid } = { clientId: null, duid: null, ...lease };
    return { ip, mac, clientId, duid, hostname, event: started };
  }

  /** Names that wait for a server. */
  dueNames(query: Parameters<typeof dueNames>[1]): NameRow[] {
    return dueNames(this.#database, query);
  }

  /** Addresses that have this name in DNS and are to lose it. */
  leavingAddresses(name: string): string[] {
    return leavingAddresses(this.#database, name);
  }

  /** Names of the device that has one at an address, as whose they are. */
  namesBeside(address: string): NameHolder[] {
    return namesBeside(this.#database, address);
  }

  /** What the device with both families is known by that has, or had, the name of an address. */
  identitiesAt(address: string): DeviceIdentity[] {
    return identitiesAt(this.#database, address);
  }

  /** How many names there are in each state. */
  nameStates(): Record<string, number> {
    const rows = this.#database
      .prepare("SELECT state, count(*) AS count FROM dns_name WHERE side = 'forward' GROUP BY state")
      .all();
    return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  }

  /** Engine time minus wall time, milliseconds. */
  clockOffset(): number {
    return (this.#database.prepare("SELECT offset FROM clock").get() as { offset: number }).offset;
  }
}

type Client = Pick<LeaseRecord, "mac" | "clientId"> | Pick<Lease6Record, "duid" | "iaid"> | StoredEvent;

/** Either names a client, by the setting at that time; the other may change while the client keeps its lease. */
function isSameClient(one: Client, other: Client): boolean {
  const [a, b] = [knownBy(one), knownBy(other)];
  if ("duid" in a || "duid" in b) {
    return "duid" in a && "duid" in b && sameBytes(a.duid, b.duid) && a.iaid === b.iaid;
  }
  const isSameId = a.clientId !== null && b.clientId !== null && sameBytes(a.clientId, b.clientId);
  return sameBytes(a.mac, b.mac) || isSameId;
}

const knownBy = (client: Client) =>
  "v6" in client && client.v6 ? client.v6 : (client as Exclude<Client, StoredEvent>);

/** Whether the lease that `started` began was in force until `next` happened to it. */
function wasHeldUntil(next: StoredEvent, started: StoredEvent, at: number): boolean {
  if (!isSameClient(next, started)) return false;
  // An expiry is told some time after the end.
  if (next.type === "expire") return !isOver(next.until, at);
  return next.type === "renew" || next.type === "release" || next.type === "decline";
}

const holderOf = (event: StoredEvent): Holder => {
  const { ip, v6, mac, clientId, hostname } = event;
  return { ip: v6?.address ?? ip, duid: v6?.duid ?? null, mac, clientId, hostname, event };
};
