import { DomainError } from "@frontdesk/kit/domain-error";
import type { TomlTable, TomlValue } from "@frontdesk/lease-config/toml-text";
import type { Lease } from "@frontdesk/lease-control-api/schemas";
import { isSameAddress, plainAddress } from "@frontdesk/lease-options/plain-address";
import type { Author } from "./author.ts";
import { CODES, refuse } from "./codes.ts";
import { valuesOf } from "./config-values.ts";
import type { Configuration } from "./configuration.ts";
import { type CsvRow, parseCsv } from "./csv-text.ts";
import type { Engine } from "./engine.ts";
import { IDENTIFIERS, type IdentifierKind, identifiersOf } from "./identifiers.ts";
import { columnsOf, MAX_ROWS, type PlannedRow, planImport } from "./reservation-import.ts";
import { addressOf, listOf, withList } from "./reservation-tables.ts";
import { reservationVersion } from "./reservation-version.ts";
import { subnetFinder } from "./subnet-finder.ts";

export class IdentifierTaken extends DomainError<"identifier_taken"> {
  readonly kind: string;

  constructor(kind: string) {
    super("identifier_taken", CODES.identifier_taken);
    this.kind = kind;
  }
}

/** The first line of the CSV file names a column that nothing is known by, names one twice, or leaves out one that is needed. */
export class WrongColumn extends DomainError<"bad_columns"> {
  constructor(name: string) {
    super("bad_columns", `${CODES.bad_columns} (${name})`);
  }
}

/** As the file has it, with the subnet it is in. */
export type Reservation = TomlTable & { readonly ip: string };
export interface Placed {
  readonly subnet: string;
  readonly reservation: Reservation;
}

export type ReservationStatus = "in_use" | "unused" | "held_by_another" | "disabled";

/** Host reservations, which are lines of the configuration. */
export function createReservations(configuration: Configuration, engine: Engine) {
  return {
    list: async () => {
      const { config, version } = await configuration.full();
      const leases = await engine.reservedLeases();
      const held = new Map(leases.items.map((lease) => [lease.ip, lease]));
      const meanwhile = leaseFinder(leases.elsewhere);
      const items = placedIn(config).map(({ subnet, reservation }) => {
        const lease = held.get(plainAddress(reservation.ip) ?? reservation.ip);
        const status = statusOf(reservation, lease);
        const effect = effectOf(status, lease, meanwhile(reservation, subnet));
        const held_by = lease?.mac ?? lease?.duid ?? null;
        return {
          ...inTexts(reservation),
          version: reservationVersion(reservation),
          subnet,
          status,
          held_by,
          ...effect,
        };
      });
      return { items, version };
    },

    add: async (author: Author, reservation: Reservation) => {
      await configuration.edit(author, { action: "reservation_add", subject: reservation.ip }, (document) =>
        withNew(document, reservation),
      );
      return reservation;
    },

    /** Reserves what a device holds for it. */
    addOf: async (author: Author, { ip, mac, client_id, duid, hostname, subnet }: Lease) => {
      const identity = ip.includes(":") ? named({ duid }) : (named({ mac }) ?? named({ client_id }));
      if (!identity) return refuse("nothing_to_reserve_by");
      const reserved = { ...identity, ...(hostname ? { hostname } : {}) };
      await configuration.edit(author, { action: "reservation_add", subject: ip }, (document) =>
        ip.includes("/")
          ? withPrefix(document, { prefix: ip, ...reserved }, subnet ?? "")
          : withNew(document, { ip, ...reserved }),
      );
      return { ip, ...reserved };
    },

    /** Replaces the reservation of an address, if it is still the version that was seen; undefined: whichever it is. */
    change: async (author: Author, ip: string, reservation: Reservation, seen?: string) => {
      await configuration.edit(author, { action: "reservation_change", subject: ip }, (document) => {
        assertSeen(document, ip, seen);
        if (!isSameAddress(ip, reservation.ip) && isReserved(document, reservation.ip))
          refuse("reservation_exists");
        return withReservation(document, reservation, ip);
      });
      return { ...asWritten(reservation), ip: reservation.ip };
    },

    /** What a CSV file would add and change; nothing is written. */
    preview: async (csv: string) => {
      const { text, version } = await configuration.read();
      const { rows, document } = planOf(csv, valuesOf(text));
      if (rows.some(({ action }) => action === "conflict")) return { version, rows, problems: [] };
      const checked = await configuration.checkDocument(text, document);
      return { version, rows, problems: checked.ok ? [] : checked.problems };
    },

    /** All of the file or nothing of it, as it was seen in a preview. */
    importAll: async (author: Author, csv: string, seen: string) => {
      let rows: readonly PlannedRow[] = [];
      const subject = `${rowsOf(csv).length} rows`;
      const applied = await configuration.edit(
        author,
        { action: "reservation_import", subject },
        (document, version) => {
          if (version !== seen) refuse("preview_outdated");
          const plan = planOf(csv, document);
          if (plan.rows.some(({ action }) => action === "conflict")) refuse("bad_rows");
          rows = plan.rows;
          return plan.document;
        },
      );
      return { version: applied.version, rows };
    },

    remove: (author: Author, ip: string, seen?: string) =>
      configuration.edit(author, { action: "reservation_remove", subject: ip }, (document) => {
        assertSeen(document, ip, seen);
        return withReservation(document, undefined, ip);
      }),
  };
}

/** A file that was edited by hand may have any value there: it is shown, and the engine says what is wrong with it. */
function inTexts(reservation: Reservation): Reservation {
  const text = (value: TomlValue) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const texts = TEXTS.flatMap((key) => {
    const value = reservation[key];
    if (value === undefined) return [];
    return [[key, Array.isArray(value) && value.length > 0 ? value.map(text) : text(value)] as const];
  });
  return { ...reservation, ...Object.fromEntries(texts) };
}
const TEXTS = [...IDENTIFIERS, "prefix", "hostname", "note"];

/** The rows of a CSV file with their header. */
function rowsOf(csv: string): CsvRow[] {
  const rows = parseCsv(csv) ?? refuse("bad_csv");
  return rows.length > MAX_ROWS + 1 ? refuse("too_many_rows") : rows;
}

function planOf(csv: string, document: TomlTable) {
  const [header, ...rows] = rowsOf(csv);
  const columns = columnsOf(header);
  if ("wrong" in columns) throw new WrongColumn(columns.wrong);
  return planImport(document, columns, rows);
}

export type Reservations = ReturnType<typeof createReservations>;

export const placedIn = (document: TomlTable): Placed[] =>
  listOf(document.subnet).flatMap((subnet) =>
    listOf(subnet.reservation).map((reservation) => ({
      subnet: String(subnet.network),
      reservation: { ...reservation, ip: addressOf(reservation) },
    })),
  );

const reservedAt = (document: TomlTable, ip: string) =>
  placedIn(document).find(({ reservation }) => isSameAddress(reservation.ip, ip))?.reservation;

const isReserved = (document: TomlTable, ip: string) => reservedAt(document, ip) !== undefined;

function assertSeen(document: TomlTable, ip: string, seen: string | undefined): void {
  const reservation = reservedAt(document, ip) ?? refuse("reservation_not_found");
  if (seen !== undefined && seen !== reservationVersion(reservation)) refuse("reservation_changed");
}

const named = <Names extends Record<string, string | null>>(names: Names) =>
  Object.values(names).every((name) => name !== null) ? (names as Record<keyof Names, string>) : undefined;

function withNew(document: TomlTable, reservation: Reservation): TomlTable {
  if (isReserved(document, reservation.ip)) refuse("reservation_exists");
  return withReservation(document, reservation, undefined);
}

/** A prefix need not lie in the subnet that delegates it. */
function withPrefix(
  document: TomlTable,
  reservation: TomlTable & { readonly prefix: string },
  subnet: string,
): TomlTable {
  const isSame = (each: TomlTable) =>
    each.prefix !== undefined && plainAddress(String(each.prefix)) === reservation.prefix;
  const subnets = listOf(document.subnet);
  if (subnets.some((each) => listOf(each.reservation).some(isSame))) refuse("reservation_exists");
  const home = subnets.findIndex(({ network }) => plainAddress(String(network)) === subnet);
  if (home < 0) refuse("no_subnet");
  return {
    ...document,
    subnet: subnets.map((each, place) => {
      if (place !== home) return each;
      const before = listOf(each.reservation);
      assertOwnIdentifiers(before, { ip: "", ...reservation });
      return withList(each, [...before, reservation]);
    }),
  };
}

/** The document with a reservation in the subnet that has its address, and without the one it replaces. */
function withReservation(
  document: TomlTable,
  reservation: Reservation | undefined,
  replaced: string | undefined,
): TomlTable {
  const subnets = listOf(document.subnet);
  const home = reservation && homeOf(subnets, reservation.ip, replaced);
  if (home === -1) refuse("no_subnet");
  return {
    ...document,
    subnet: subnets.map((subnet, index) => {
      const before = listOf(subnet.reservation);
      const at =
        replaced === undefined ? -1 : before.findIndex((each) => isSameAddress(addressOf(each), replaced));
      const others = before.filter((_, place) => place !== at);
      if (reservation === undefined || index !== home) {
        return others.length === before.length ? subnet : withList(subnet, others);
      }
      assertOwnIdentifiers(others, reservation);
      const written = asWritten(reservation);
      // In its old place, where it was in this subnet before.
      return withList(subnet, at < 0 ? [...before, written] : before.with(at, written));
    }),
  };
}

/** The subnet that has an address, by its place. A prefix need not lie in the one that delegates it: it is changed where it is. */
function homeOf(subnets: readonly TomlTable[], ip: string, replaced: string | undefined): number {
  if (replaced === undefined || !ip.includes("/")) return subnetFinder(subnets)(ip);
  return subnets.findIndex(({ reservation }) =>
    listOf(reservation).some((each) => isSameAddress(addressOf(each), replaced)),
  );
}

/** As the file has it: a prefix under its own name. */
function asWritten({ ip, ...rest }: Reservation): TomlTable {
  if (!ip.includes("/")) return { ip, ...rest };
  // As it was read, where it was changed since.
  const { prefix: _, ...others } = rest;
  return { prefix: ip, ...others };
}

function assertOwnIdentifiers(others: readonly TomlTable[], { ip: _, ...own }: Reservation): void {
  for (const kind of IDENTIFIERS) {
    const mine = identifiersOf(kind, own[kind]);
    if (others.some((other) => identifiersOf(kind, other[kind]).some((each) => mine.includes(each))))
      throw new IdentifierTaken(kind);
  }
}

/** Finds the lease that a reservation's device has in the same subnet while it waits for the address that is reserved. */
function leaseFinder(elsewhere: readonly Lease[]) {
  const keyOf = (subnet: string, ip: string, name: string) =>
    `${plainAddress(subnet) ?? subnet} ${ip.includes("/")} ${name}`;
  const found = new Map<string, Lease>();
  // A device of DHCPv6 may have several, each with times of its own: it is told of what is reserved with the first renewal.
  const byRenewal = elsewhere.toSorted((one, other) => renewalOf(other) - renewalOf(one));
  for (const lease of byRenewal)
    for (const name of namesOfHolder(lease)) found.set(keyOf(lease.subnet ?? "", lease.ip, name), lease);
  return (reservation: Reservation, subnet: string): Lease | undefined => {
    const name = namesOf(reservation).find((each) => found.has(keyOf(subnet, reservation.ip, each)));
    return name === undefined ? undefined : found.get(keyOf(subnet, reservation.ip, name));
  };
}

/** When a lease is renewed, to compare; one that never is comes last. */
const renewalOf = ({ renews_at }: Lease): number =>
  renews_at === null ? Number.MAX_SAFE_INTEGER : Date.parse(renews_at);

/** When a reservation that is not in use yet takes effect, and when that is at the latest, as far as it can be told. */
function effectOf(status: ReservationStatus, held: Lease | undefined, now: Lease | undefined) {
  if (status === "in_use" || status === "disabled") return { takes_effect: null, at: null };
  if (status === "held_by_another")
    return { takes_effect: "when_free" as const, at: held?.expires_at ?? null };
  if (!now) return { takes_effect: "now" as const, at: null };
  return { takes_effect: "next_renewal" as const, at: now.renews_at };
}

function statusOf(reservation: Reservation, lease: Lease | undefined): ReservationStatus {
  if (reservation.enabled === false) return "disabled";
  if (lease?.state !== "active") return "unused";
  return isHeldByDeviceOf(reservation, lease) ? "in_use" : "held_by_another";
}

/** Whether a lease has one of the identifiers of a reservation. */
function isHeldByDeviceOf(reservation: Reservation, lease: Lease): boolean {
  const holder = namesOfHolder(lease);
  return namesOf(reservation).some((each) => holder.includes(each));
}

/** What a reservation knows its device by: each identifier with its kind. */
const namesOf = (reservation: Reservation) =>
  IDENTIFIERS.flatMap((kind) => identifiersOf(kind, reservation[kind]).map((each) => `${kind} ${each}`));

/** The same of whoever holds a lease. */
function namesOfHolder(lease: Lease): string[] {
  // The Interface-Id of a relay stands where IPv4 has the circuit.
  const held = { ...lease, interface_id: lease.circuit_id };
  return IDENTIFIERS.flatMap((kind) =>
    [...identifiersOf(kind, held[kind]), ...within(kind, lease)].map((each) => `${kind} ${each}`),
  );
}

/** RFC 4649 section 3: a Remote-Id of DHCPv6 without the enterprise number of four octets that stands before it. */
function within(kind: IdentifierKind, { ip, remote_id }: Lease): string[] {
  if (kind !== "remote_id" || !ip.includes(":")) return [];
  return identifiersOf(kind, remote_id).map((each) => each.slice("00:".length * 4));
}
