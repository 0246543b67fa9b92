import type { TomlTable, TomlValue } from "@frontdesk/lease-config/toml-text";
import { type Lease, type LeaseEvent, MAX_SEARCHED } from "@frontdesk/lease-control-api/schemas";
import { formatHex, parseHex } from "@frontdesk/lease-options/address";
import { refuse } from "./codes.ts";
import type { Configuration } from "./configuration.ts";
import type { Engine } from "./engine.ts";
import { type Placed, placedIn } from "./reservations.ts";

const PAGE = 1000;
/** A device with more hardware addresses than this is told of by the first ones. */
const MAX_IDENTITIES = 16;
/** Addresses of one device whose history is read: a client can make up identifiers, each with an address of its own. */
export const MAX_LOOKS_BACK = 32;
/** From an identity to those it shares a lease or a reservation with, and so on. */
const MAX_ROUNDS = 3;

/** Everything that one device is known by, and what it holds and held. */
export interface Device {
  readonly id: string;
  readonly macs: readonly string[];
  readonly client_ids: readonly string[];
  readonly duids: readonly string[];
  readonly hostnames: readonly string[];
  readonly vendors: readonly string[];
  readonly note: string | null;
  readonly dns_name: string | null;
  readonly leases: readonly Lease[];
  readonly reservations: readonly Placed[];
  /** Newest first, of all its hardware addresses, and of its leases that have none. */
  readonly events: readonly LeaseEvent[];
  readonly nextCursor: number | null;
}

/** Devices as they are seen through their leases and reservations. */
export function createDevices(engine: Pick<Engine, "leases" | "events">, configuration: Configuration) {
  const leasesOf = async (identity: string): Promise<Lease[]> => {
    // The longest identities are longer than what is taken to search for.
    const { items } = await engine.leases({ q: identity.slice(0, MAX_SEARCHED), limit: PAGE });
    return items.filter(({ mac, client_id, duid }) => [mac, client_id, duid].includes(identity));
  };

  /** Hardware addresses under which the holder of a lease had its address before. */
  const earlierMacs = async ({ ip, client_id }: Lease): Promise<string[]> => {
    if (!client_id) return [];
    const { items } = await engine.events({ ip, limit: PAGE });
    return items.flatMap((event) => (event.client_id === client_id && event.mac ? [event.mac] : []));
  };

  /** A device that has another hardware address each week keeps its client identifier, and the other way round. */
  const gather = async (id: string) => {
    const reserved = placedIn((await configuration.full()).config).map((placed) => ({
      placed,
      names: namesOf(placed.reservation),
    }));
    const identities = new Set([id]);
    const leases = new Map<string, Lease>();
    const asked = new Set<string>();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const identity of [...identities].slice(0, MAX_IDENTITIES)) {
        if (asked.has(identity)) continue;
        asked.add(identity);
        for (const lease of await leasesOf(identity)) {
          const isLookedBack = leases.has(lease.ip) || leases.size >= MAX_LOOKS_BACK;
          leases.set(lease.ip, lease);
          const earlier = isLookedBack ? [] : await earlierMacs(lease);
          const names = [lease.mac, lease.client_id, lease.duid, ...earlier];
          for (const each of names) if (each) identities.add(each);
        }
        for (const { names } of reserved)
          if (names.includes(identity)) for (const each of names) identities.add(each);
      }
    }
    return {
      identities: [...identities],
      leases: [...leases.values()],
      reservations: reserved.flatMap(({ placed, names }) =>
        names.some((each) => identities.has(each)) ? [placed] : [],
      ),
    };
  };

  return {
    find: async (text: string, before: number | undefined, limit: number): Promise<Device> => {
      const octets = parseHex(text);
      if (!octets?.length) return refuse("bad_device");
      const id = formatHex(octets);
      const { identities, leases, reservations } = await gather(id);
      const macs = [...new Set([...identities.filter(isMac), ...distinct(leases, "mac")])].slice(
        0,
        MAX_IDENTITIES,
      );
      const duids = distinct(leases, "duid");
      const byDuid = leases.filter(({ mac, duid }) => mac === null && duid !== null).slice(0, MAX_LOOKS_BACK);
      const cursor = before === undefined ? {} : { cursor: before };
      const pages = await Promise.all([
        ...macs.map((mac) => engine.events({ mac, limit, ...cursor })),
        // Others have had its addresses, too.
        ...byDuid.map(async ({ ip }) => {
          const page = await engine.events({ ip, limit, ...cursor });
          const items = page.items.filter(
            ({ mac, duid }) => mac === null && duid !== null && duids.includes(duid),
          );
          return { ...page, items };
        }),
      ]);
      // Below the highest of the cursors, not every page has been read.
      const readTo = Math.max(0, ...pages.map(({ next_cursor }) => next_cursor ?? 0));
      // An address and a prefix that begins with it have the same events.
      const found = new Map(pages.flatMap(({ items }) => items.map((event) => [event.id, event] as const)));
      const all = [...found.values()]
        .filter(({ id }) => id >= readTo)
        .toSorted((one, other) => other.id - one.id);
      const events = all.slice(0, limit);
      const nextCursor = all.length > limit ? (events.at(-1)?.id ?? null) : readTo || null;
      if (leases.length + reservations.length + events.length === 0 && before === undefined)
        return refuse("device_not_found");
      const noted = leases.find(({ note, dns_name }) => note !== null || dns_name !== null);
      return {
        id,
        macs,
        client_ids: [...new Set([...distinct(leases, "client_id"), ...distinct(events, "client_id")])],
        duids,
        hostnames: [...new Set([...distinct(leases, "hostname"), ...distinct(events, "hostname")])],
        vendors: distinct(leases, "vendor"),
        note: noted?.note ?? null,
        dns_name: noted?.dns_name ?? null,
        leases,
        reservations,
        events,
        nextCursor,
      };
    },
  };
}

export type Devices = ReturnType<typeof createDevices>;

const isMac = (identity: string) => identity.length === "02:00:00:00:00:00".length;

function distinct<Key extends string>(
  rows: ReadonlyArray<Readonly<Record<Key, string | null>>>,
  key: Key,
): string[] {
  return [...new Set(rows.flatMap((row) => row[key] ?? []))];
}

/** The hardware addresses, client identifiers and DUIDs of a reservation, written as leases write them. */
const namesOf = ({ mac, client_id, duid }: TomlTable): string[] =>
  [mac, client_id, duid].flatMap((value) => (value === undefined ? [] : [value].flat())).flatMap(hexOf);

function hexOf(value: TomlValue): string[] {
  const octets = typeof value === "string" ? parseHex(value) : undefined;
  return octets ? [formatHex(octets)] : [];
}
