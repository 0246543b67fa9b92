import type { TomlTable, TomlValue } from "@frontdesk/lease-config/toml-text";
import { formatIpv6, parseIpv4, parseIpv6, parsePrefix6, prefixBase } from "@frontdesk/lease-options/address";

export const listOf = (value: TomlValue | undefined): readonly TomlTable[] =>
  Array.isArray(value) ? (value as readonly TomlTable[]) : [];

/** A subnet with these reservations. */
export function withList(subnet: TomlTable, reservations: readonly TomlTable[]): TomlTable {
  const { reservation: _, ...rest } = subnet;
  return reservations.length === 0 ? rest : { ...rest, reservation: reservations };
}

/** Whether a network has an address. */
export function contains(network: string, ip: string): boolean {
  const [base = "", width = ""] = network.split("/");
  const [prefix, address6] = [parsePrefix6(network), parseIpv6(ip)];
  if (prefix && address6 !== undefined) return prefixBase(address6, prefix.length) === prefix.address;
  const [first, address] = [parseIpv4(base), parseIpv4(ip)];
  if (first === undefined || address === undefined) return false;
  return Math.floor(first / 2 ** (32 - Number(width))) === Math.floor(address / 2 ** (32 - Number(width)));
}

/** An address, or a prefix with its length, in the one way that it is compared; undefined for what is neither. */
export function plainAddress(text: string): string | undefined {
  if (parseIpv4(text) !== undefined) return text;
  const prefix = parsePrefix6(text);
  if (prefix) return `${formatIpv6(prefix.address)}/${prefix.length}`;
  const address = parseIpv6(text);
  return address === undefined ? undefined : formatIpv6(address);
}

/** What a reservation is known by: in IPv6 it may be of a prefix alone. */
export const addressOf = ({ ip, prefix }: TomlTable): string => String(ip ?? prefix);
