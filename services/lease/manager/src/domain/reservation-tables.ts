import type { TomlTable, TomlValue } from "@frontdesk/lease-config/toml-text";

export const listOf = (value: TomlValue | undefined): readonly TomlTable[] =>
  Array.isArray(value) ? (value as readonly TomlTable[]) : [];

/** A subnet with these reservations. */
export function withList(subnet: TomlTable, reservations: readonly TomlTable[]): TomlTable {
  const { reservation: _, ...rest } = subnet;
  return reservations.length === 0 ? rest : { ...rest, reservation: reservations };
}

/** What a reservation is known by: in IPv6 it may be of a prefix alone. */
export const addressOf = ({ ip, prefix }: TomlTable): string => String(ip ?? prefix);
