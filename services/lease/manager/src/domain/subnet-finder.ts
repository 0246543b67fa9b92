import type { TomlTable } from "@frontdesk/lease-config/toml-text";
import { parseIpv4, parseIpv6, parsePrefix6, prefixBase } from "@frontdesk/lease-options/address";
import { mapKey6 } from "@frontdesk/lease-options/address-map";

const base4 = (address: number, length: number) => Math.floor(address / 2 ** (32 - length));

/**
 * Finds the subnet that has an address, by its place in the list; -1 where none has it. Each network is read once, and an
 * address is looked up once for each length that occurs: thousands of both are no work.
 */
export function subnetFinder(subnets: readonly TomlTable[]): (ip: string) => number {
  const byLength4 = new Map<number, Map<number, number>>();
  const byLength6 = new Map<number, Map<bigint, number>>();
  for (const [place, { network }] of subnets.entries()) {
    const text = String(network);
    const prefix = parsePrefix6(text);
    if (prefix) {
      note(byLength6, prefix.length, mapKey6(prefix.address), place);
      continue;
    }
    const [first = "", width = ""] = text.split("/");
    const address = parseIpv4(first);
    if (address !== undefined) note(byLength4, Number(width), base4(address, Number(width)), place);
  }
  return (ip) => {
    const [address, address6] = [parseIpv4(ip), parseIpv6(ip)];
    const found: Array<number | undefined> = [];
    if (address !== undefined)
      for (const [length, places] of byLength4) found.push(places.get(base4(address, length)));
    else if (address6 !== undefined)
      for (const [length, places] of byLength6) found.push(places.get(mapKey6(prefixBase(address6, length))));
    const places = found.filter((place) => place !== undefined);
    return places.length > 0 ? Math.min(...places) : -1;
  };
}

/** Of two that say the same the first one counts. */
function note<Base>(all: Map<number, Map<Base, number>>, length: number, base: Base, place: number): void {
  const places = all.get(length) ?? new Map<Base, number>();
  all.set(length, places);
  if (!places.has(base)) places.set(base, place);
}
