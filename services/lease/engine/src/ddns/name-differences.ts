import { isIPv4 } from "node:net";
import type { DdnsConfig } from "@frontdesk/lease-config/ddns-config";
import type { NameRow, NameState } from "../leases/dns-name.ts";
import { type AnswerRecord, RECORD } from "./dns-message.ts";
import { keptDhcidOf, keptNames, octetsOf } from "./name-plan.ts";
import type { Answer, DnsServer } from "./update-exchange.ts";
import { reversePlace, zoneOf, zonesOf } from "./zones.ts";

/** Questions that wait for their answers at the same time. */
const AT_ONCE = 16;
/** Names of one address that are looked at: an answer over TCP can have thousands. */
const MAX_NAMES = 8;

/** A record that shall be in DNS and is not. */
export interface MissingName {
  readonly row: NameRow;
  readonly name: string;
}

/** A name that a DHCP server once gave to an address that nobody has. */
export interface StaleName {
  readonly address: string;
  readonly name: string;
  readonly dhcid: Uint8Array;
}

export interface NameDifferences {
  readonly missing: readonly MissingName[];
  readonly stale: readonly StaleName[];
  /** How many rows, and then addresses, were compared: those that come first. */
  readonly compared: number;
}

export interface DifferenceParts {
  readonly config: DdnsConfig;
  /** Names that are in DNS as far as is known, and those that wait for somebody to put it right. */
  readonly rows: Iterable<NameRow & { readonly state: NameState }>;
  /** Addresses that nobody has, and for which nothing is to be in DNS. */
  readonly unheld: Iterable<string>;
  readonly query: (server: DnsServer, name: string, type: number) => Promise<Answer>;
  /** When there is none left, what was begun is ended, and no more is. */
  readonly hasTime: () => boolean;
}

/** The server cannot be asked: then nothing is known of what it has. */
export class NotAnswered extends Error {}

/** What DNS has, beside what it shall have. It only asks. */
export async function findDifferences({
  config,
  rows,
  unheld,
  query,
  hasTime,
}: DifferenceParts): Promise<NameDifferences> {
  const zones = zonesOf(config);
  const missing: MissingName[] = [];
  const stale: StaleName[] = [];

  const recordsOf = async (server: DnsServer, name: string, type: number): Promise<AnswerRecord[]> => {
    const answer = await query(server, name, type);
    if (answer.kind !== "answered") throw new NotAnswered(answer.kind);
    if (answer.rcode !== "NOERROR" && answer.rcode !== "NXDOMAIN") throw new NotAnswered(answer.rcode);
    if (!answer.records) throw new NotAnswered("an answer that is too long");
    return answer.records.filter((record) => record.type === type);
  };
  const has = async (server: DnsServer, name: string, type: number, data: Uint8Array | string) =>
    (await recordsOf(server, name, type)).some((record) => isSame(record.data, data));

  const isAt = async (row: NameRow, name: string): Promise<boolean | "another's"> => {
    const zone = zoneOf(zones, name);
    if (!zone) return true;
    const dhcid = keptDhcidOf(row, name);
    if (dhcid && !(await has(zone.server, name, RECORD.dhcid, dhcid))) return "another's";
    return has(zone.server, name, typeOf(row.address), octetsOf(row.address));
  };

  const isThere = async (row: NameRow): Promise<boolean> => {
    const names = keptNames(config, row);
    if (row.side === "reverse") {
      const place = reversePlace(zones, octetsOf(row.address));
      if (!place) return true;
      const records = await recordsOf(place.zone.server, place.name, RECORD.ptr);
      return records.some(({ data }) => names.some((name) => isSame(data, name)));
    }
    const [name, ...others] = names;
    const isAtFirst = name === undefined || (await isAt(row, name));
    if (isAtFirst !== "another's") return isAtFirst;
    // All at once: a slow server would make one row last as long as a page.
    return (await Promise.all(others.map((other) => isAt(row, other)))).includes(true);
  };

  /** Whether a name that was another's can be had by now. */
  const isFree = async (name: string): Promise<boolean> => {
    const zone = zoneOf(zones, name);
    if (!zone) return false;
    const answer = await query(zone.server, name, RECORD.dhcid);
    return answer.kind === "answered" && answer.rcode === "NXDOMAIN";
  };

  const compare = async (row: NameRow & { readonly state: NameState }) => {
    if (row.state === "kept") {
      if (row.kept !== null && !(await isThere(row))) missing.push({ row, name: row.kept });
    } else if (row.wanted !== null && row.side === "forward" && (await isFree(row.wanted)))
      missing.push({ row, name: row.wanted });
  };

  /** By its PTR, since the address is all that is known. A name without a DHCID was made by a person. */
  const lookAt = async (address: string) => {
    const octets = octetsOf(address);
    const place = reversePlace(zones, octets);
    if (!place) return;
    const records = await recordsOf(place.zone.server, place.name, RECORD.ptr);
    const ours = records.flatMap(({ data: name }) => {
      const zone = typeof name === "string" ? zoneOf(zones, name) : undefined;
      return zone && typeof name === "string" ? [{ name, zone }] : [];
    });
    const look = async ({ name, zone: { server } }: (typeof ours)[number]) => {
      const [dhcid] = await recordsOf(server, name, RECORD.dhcid);
      if (!(dhcid?.data instanceof Uint8Array)) return;
      if (!(await has(server, name, typeOf(address), octets))) return;
      stale.push({ address, name, dhcid: Uint8Array.from(dhcid.data) });
    };
    await Promise.all(ours.slice(0, MAX_NAMES).map(look));
  };

  const compared = (await together(rows, compare, hasTime)) + (await together(unheld, lookAt, hasTime));
  return { missing, stale, compared };
}

/** A few at a time, in their order; the first failure ends it. Answers how many there was time for. */
async function together<T>(
  items: Iterable<T>,
  handle: (item: T) => Promise<void>,
  hasTime: () => boolean,
): Promise<number> {
  const all = items[Symbol.iterator]();
  let count = 0;
  const work = async () => {
    while (hasTime()) {
      const next = all.next();
      if (next.done) return;
      count++;
      await handle(next.value);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return count;
}

const typeOf = (address: string) => (isIPv4(address) ? RECORD.a : RECORD.aaaa);

const isSame = (one: Uint8Array | string, other: Uint8Array | string) =>
  typeof one === "string" || typeof other === "string" ? one === other : Buffer.from(one).equals(other);
