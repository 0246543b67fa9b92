import { t } from "./words/inputs.ts";

/** `prefix`: one of IPv6, with its length. `leased`: an address of either family, or a prefix. */
export type AddressKind = "v4" | "v6" | "any" | "prefix" | "leased";

/** Why this is no such address, for a person; undefined if it is one. */
export function addressProblem(text: string, kind: AddressKind = "any"): string | undefined {
  if (kind === "prefix" || (kind === "leased" && text.includes("/"))) return prefixProblem(text);
  if (text.length > 45) return t.anIpAddressIsShorterThan;
  const isV6 = text.includes(":");
  if (isV6 && kind === "v4") return t.anIpv4AddressIsWantedLike;
  if (!isV6 && kind === "v6") return t.anIpv6AddressIsWantedLike;
  return isV6 ? v6Problem(text) : v4Problem(text);
}

function prefixProblem(text: string): string | undefined {
  const [address = "", length = "", ...more] = text.split("/");
  if (more.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > 128) return t.aPrefixEndsWithItsLength;
  return addressProblem(address, "v6");
}

function v4Problem(text: string): string | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return t.anIpv4AddressHasFourNumbers;
  const wrong = parts.find(
    (part) => !/^\d{1,3}$/.test(part) || Number(part) > 255 || (part.length > 1 && part.startsWith("0")),
  );
  return wrong === undefined ? undefined : t.eachNumberIsFrom0To(wrong);
}

function v6Problem(text: string): string | undefined {
  const sides = text.split("::");
  if (sides.length > 2) return t.anIpv6AddressHasAtMost;
  const groups = sides.flatMap((side) => (side === "" ? [] : side.split(":")));
  const embedded = groups.at(-1)?.includes(".") ? groups.pop() : undefined;
  if (embedded !== undefined && v4Problem(embedded)) return v4Problem(embedded);
  const wrong = groups.find((group) => !/^[0-9a-f]{1,4}$/i.test(group));
  if (wrong !== undefined) return t.eachGroupIsUpToFour(wrong);
  const length = groups.length + (embedded === undefined ? 0 : 2);
  if (sides.length === 1 ? length !== 8 : length > 7) return t.anIpv6AddressHasEightGroups;
  return undefined;
}

export function macProblem(text: string): string | undefined {
  return normalMac(text) === "" ? t.aHardwareAddressHasPairs : undefined;
}

/**
 * `02-00-5E-10-00-01`, `0200.5e10.0001`, `02005e100001` and `0x02005e100001` all mean `02:00:5e:10:00:01`; EUI-64 has
 * eight pairs. Anything else gives "".
 */
export function normalMac(text: string): string {
  const spelled =
    /^[0-9a-f]{2}([:-])([0-9a-f]{2}\1){4}([0-9a-f]{2}\1[0-9a-f]{2}\1)?[0-9a-f]{2}$|^([0-9a-f]{4}\.){2,3}[0-9a-f]{4}$|^(0x)?[0-9a-f]{12}([0-9a-f]{4})?$/i;
  if (text.length > 23 || !spelled.test(text)) return "";
  return (
    text
      .toLowerCase()
      .replace(/^0x|[^0-9a-f]/g, "")
      .match(/../g) ?? []
  ).join(":");
}
