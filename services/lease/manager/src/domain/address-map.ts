import { formatIpv4, parseIpv4 } from "@frontdesk/lease-options/address";
import { isSameAddress } from "@frontdesk/lease-options/plain-address";
import { refuse } from "./codes.ts";
import type { Configuration } from "./configuration.ts";
import type { Engine } from "./engine.ts";
import { listOf } from "./reservation-tables.ts";
import { placedIn } from "./reservations.ts";

/** A map has at most this many cells; where a network has more addresses, a cell stands for several. */
export const MAX_CELLS = 256;
const PAGE = 1000;

export interface MapCell {
  readonly first: string;
  held: number;
  declined: number;
  reserved: number;
  /** Addresses that a pool has. */
  pooled: number;
}

export interface AddressMap {
  readonly subnet: string;
  readonly first: string;
  readonly last: string;
  /** Addresses of one cell. */
  readonly step: number;
  readonly cells: MapCell[];
}

/** Which addresses of a subnet are held, reserved, in quarantine or free; with `from`, the 256 around that one. */
export const createAddressMaps =
  (engine: Pick<Engine, "leases" | "status">, configuration: Configuration) =>
  async (subnet: string, from: string | undefined): Promise<AddressMap> => {
    const { config } = await configuration.full();
    const [network = "", length = ""] = subnet.split("/");
    const base = parseIpv4(network);
    if (
      base === undefined ||
      !listOf(config.subnet).some((each) => isSameAddress(String(each.network), subnet))
    )
      return refuse("no_subnet");
    const whole = 2 ** (32 - Number(length));
    const wanted = from === undefined ? base : (parseIpv4(from) ?? refuse("no_subnet"));
    const size = from === undefined ? whole : Math.min(whole, MAX_CELLS);
    const first = from === undefined ? base : Math.floor(wanted / size) * size;
    if (first < base || first >= base + whole) return refuse("no_subnet");
    const step = Math.max(1, size / MAX_CELLS);
    const cells = Array.from(
      { length: size / step },
      (_, at): MapCell => ({
        first: formatIpv4(first + at * step),
        held: 0,
        declined: 0,
        reserved: 0,
        pooled: 0,
      }),
    );
    const cellOf = (ip: string) => cells[Math.floor(((parseIpv4(ip) ?? -1) - first) / step)];

    for (const state of ["active", "declined"] as const) {
      let cursor: string | undefined;
      do {
        const page = await engine.leases({ subnet, state, limit: PAGE, cursor });
        for (const { ip } of page.items) {
          const cell = cellOf(ip);
          if (cell) cell[state === "active" ? "held" : "declined"]++;
        }
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
    }
    for (const { reservation } of placedIn(config).filter((placed) => isSameAddress(placed.subnet, subnet))) {
      const cell = reservation.enabled === false ? undefined : cellOf(reservation.ip);
      if (cell) cell.reserved++;
    }
    for (const pool of (await engine.status()).pools.filter((each) => isSameAddress(each.subnet, subnet))) {
      const [from0, to] = [parseIpv4(pool.first) ?? 0, parseIpv4(pool.last) ?? 0];
      for (const [at, cell] of cells.entries()) {
        const [start, end] = [first + at * step, first + (at + 1) * step - 1];
        cell.pooled += Math.max(0, Math.min(end, to) - Math.max(start, from0) + 1);
      }
    }
    return { subnet, first: formatIpv4(first), last: formatIpv4(first + size - 1), step, cells };
  };

export type AddressMaps = ReturnType<typeof createAddressMaps>;
