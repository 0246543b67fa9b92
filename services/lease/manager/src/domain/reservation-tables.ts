import type { TomlTable, TomlValue } from "@frontdesk/lease-config/toml-text";
import { formatIpv6, parseIpv4, parseIpv6, parsePrefix6 } from "@frontdesk/lease-options/address";

export const listOf = (value: TomlValue | undefined): readonly TomlTable[] =>
  Array.isArray(value) ? (value as readonly TomlTable[]) : [];

/** A subnet with these reservations. */
export function withList(subnet: TomlTable, reservations: readonly TomlTable[]): TomlTable {
  const { reservation: _, ...rest } = subnet;
  return reservations.length === 0 ? rest : { ...rest, reservation: reservations };
}

/** An address, or a prefix with its length, in the one way that it is compared; undefined for what is neither. */
export function plainAddress(text: string): string | undefined {
  if (parseIpv4(text) !== undefined) return text;
  const prefix = parsePrefix6(text);
  if (prefix) return `${formatIpv6(prefix.address)}/${prefix.length}`;
  const address = parseIpv6(text);
  return address === undefined ? undefined : formatIpv6(address);
}

/** However each of them is written. */
export const isSameAddress = (one: string, other: string): boolean =>
  one === other || (plainAddress(one) !== undefined && plainAddress(one) === plainAddress(other));

/** What a reservation is known by: in IPv6 it may be of a prefix alone. */
export const addressOf = ({ ip, prefix }: TomlTable): string => String(ip ?? prefix);
