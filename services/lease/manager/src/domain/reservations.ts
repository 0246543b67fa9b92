import { DomainError } from "@frontdesk/kit/domain-error";
import type { TomlTable, TomlValue } from "@frontdesk/lease-config/toml-text";
import type { Lease } from "@frontdesk/lease-control-api/schemas";
import { parseIpv4 } from "@frontdesk/lease-options/address";
import { CODES, refuse } from "./codes.ts";
import type { Configuration } from "./configuration.ts";
import type { Engine } from "./engine.ts";

const IDENTIFIERS = ["mac", "client_id", "duid", "circuit_id", "remote_id"] as const;

export class IdentifierTaken extends DomainError<"identifier_taken"> {
  readonly kind: string;

  constructor(kind: string) {
    super("identifier_taken", CODES.identifier_taken);
    this.kind = kind;
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
      const held = new Map((await engine.reservedLeases()).items.map((lease) => [lease.ip, lease]));
      const items = placedIn(config).map(({ subnet, reservation }) => {
        const lease = held.get(reservation.ip);
        return { ...reservation, subnet, status: statusOf(reservation, lease), held_by: lease?.mac ?? null };
      });
      return { items, version };
    },

    add: async (actor: string, reservation: Reservation) => {
      await configuration.edit(actor, { action: "reservation_add", subject: reservation.ip }, (document) => {
        if (placedIn(document).some((each) => each.reservation.ip === reservation.ip))
          refuse("reservation_exists");
        return withReservation(document, reservation, undefined);
      });
      return reservation;
    },

    change: async (actor: string, ip: string, reservation: Reservation) => {
      await configuration.edit(actor, { action: "reservation_change", subject: ip }, (document) => {
        const known = placedIn(document).find((each) => each.reservation.ip === ip);
        if (!known) return refuse("reservation_not_found");
        if (
          ip !== reservation.ip &&
          placedIn(document).some((each) => each.reservation.ip === reservation.ip)
        )
          refuse("reservation_exists");
        return withReservation(document, reservation, ip);
      });
      return reservation;
    },

    remove: (actor: string, ip: string) =>
      configuration.edit(actor, { action: "reservation_remove", subject: ip }, (document) => {
        if (!placedIn(document).some((each) => each.reservation.ip === ip)) refuse("reservation_not_found");
        return withReservation(document, undefined, ip);
      }),
  };
}

export type Reservations = ReturnType<typeof createReservations>;

const listOf = (value: TomlValue | undefined): readonly TomlTable[] =>
  Array.isArray(value) ? (value as readonly TomlTable[]) : [];

export const placedIn = (document: TomlTable): Placed[] =>
  listOf(document.subnet).flatMap((subnet) =>
    listOf(subnet.reservation).map((reservation) => ({
      subnet: String(subnet.network),
      reservation: reservation as Reservation,
    })),
  );

/** The document with a reservation in the subnet that has its address, and without the one it replaces. */
function withReservation(
  document: TomlTable,
  reservation: Reservation | undefined,
  replaced: string | undefined,
): TomlTable {
  const subnets = listOf(document.subnet);
  const home = reservation && subnets.findIndex(({ network }) => contains(String(network), reservation.ip));
  if (home === -1) refuse("no_subnet");
  return {
    ...document,
    subnet: subnets.map((subnet, index) => {
      const before = listOf(subnet.reservation);
      const at = before.findIndex(({ ip }) => ip === replaced);
      const others = before.filter((_, place) => place !== at);
      if (reservation === undefined || index !== home) {
        return others.length === before.length ? subnet : withList(subnet, others);
      }
      assertOwnIdentifiers(others, reservation);
      // In its old place, where it was in this subnet before.
      return withList(subnet, at < 0 ? [...before, reservation] : before.with(at, reservation));
    }),
  };
}

function withList(subnet: TomlTable, reservations: readonly TomlTable[]): TomlTable {
  const { reservation: _, ...rest } = subnet;
  return reservations.length === 0 ? rest : { ...rest, reservation: reservations };
}

function assertOwnIdentifiers(others: readonly TomlTable[], { ip: _, ...own }: Reservation): void {
  for (const kind of IDENTIFIERS) {
    const mine = identifiersOf(own[kind]);
    if (others.some((other) => identifiersOf(other[kind]).some((each) => mine.includes(each))))
      throw new IdentifierTaken(kind);
  }
}

const identifiersOf = (value: TomlValue | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((each) =>
    String(each).toLowerCase(),
  );

function contains(network: string, ip: string): boolean {
  const [base = "", width = ""] = network.split("/");
  const [first, address] = [parseIpv4(base), parseIpv4(ip)];
  if (first === undefined || address === undefined) return false;
  return Math.floor(first / 2 ** (32 - Number(width))) === Math.floor(address / 2 ** (32 - Number(width)));
}

function statusOf(reservation: Reservation, lease: Lease | undefined): ReservationStatus {
  if (reservation.enabled === false) return "disabled";
  if (lease?.state !== "active") return "unused";
  const isIts = IDENTIFIERS.some((kind) => {
    const held = lease[kind];
    return held !== null && identifiersOf(reservation[kind]).includes(held.toLowerCase());
  });
  return isIts ? "in_use" : "held_by_another";
}
