/**
 * Addresses and octets as text. Inside, an IPv4 address is an unsigned 32-bit number and an IPv6
 * address a bigint (docs/decisions/0012-lease-addresses.md); text only at the edges.
 */

export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return undefined;
  let address = 0;
  for (const part of match.slice(1)) {
    const octet = Number(part);
    if (octet > 255 || (part.length > 1 && part.startsWith("0"))) return undefined;
    address = address * 256 + octet;
  }
  return address;
}

export function formatIpv4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

const MAX_IPV6_TEXT = 45;

/** RFC 4291 section 2.2; no zone. */
export function parseIpv6(text: string): bigint | undefined {
  if (text.length > MAX_IPV6_TEXT) return undefined;
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...new Array<number>(tail ? missing : 0).fill(0), ...(tail ?? [])];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
}

function groupsOf(text: string): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: number[] = [];
  for (const [i, part] of parts.entries()) {
    const dotted = i === parts.length - 1 && part.includes(".") ? parseIpv4(part) : undefined;
    if (dotted !== undefined) groups.push(dotted >>> 16, dotted & 0xffff);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** RFC 5952: lower case, no leading zeros, the longest run of at least two zero groups as `::`. */
export function formatIpv6(address: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((address >> BigInt(112 - 16 * i)) & 0xffffn));
  let best = { at: 0, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (groups[at + length] === 0) length++;
    if (length > best.length) best = { at, length };
  }
  const text = (part: number[]) => part.map((group) => group.toString(16)).join(":");
  return best.length === 1
    ? text(groups)
    : `${text(groups.slice(0, best.at))}::${text(groups.slice(best.at + best.length))}`;
}

/** Octets as `02:00:00:00:00:50`, with dashes, or as bare hex digits with or without `0x`. */
export function parseHex(text: string): Uint8Array | undefined {
  const separated = /^[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2})*$/i.test(text);
  const digits = separated ? text.replace(/[:-]/g, "") : text.replace(/^0x/i, "");
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return undefined;
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

/** A hardware address: 6 octets (EUI-48) or 8 (EUI-64). */
export function parseMac(text: string): Uint8Array | undefined {
  const octets = parseHex(text);
  return octets?.length === 6 || octets?.length === 8 ? octets : undefined;
}

const utf8 = new TextEncoder();
export const textBytes = (text: string): Uint8Array => utf8.encode(text);

/** In one piece: a text that grows octet by octet is kept by V8 as a chain of pieces, of many times its size. */
export function formatHex(bytes: Uint8Array, separator = ":"): string {
  const digits = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
  return separator === "" ? digits : digits.replace(/..(?=.)/g, `$&${separator}`);
}

export function readU32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) * 0x1000000 +
      (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number))) >>>
    0
  );
}

export function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function u32Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeU32(bytes, 0, value);
  return bytes;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** An IPv6 address as sixteen octets. */
export function readIpv6(bytes: Uint8Array, at: number): bigint {
  const high = (BigInt(readU32(bytes, at)) << 32n) | BigInt(readU32(bytes, at + 4));
  return (high << 64n) | (BigInt(readU32(bytes, at + 8)) << 32n) | BigInt(readU32(bytes, at + 12));
}

export function writeIpv6(bytes: Uint8Array, at: number, address: bigint): void {
  writeU32(bytes, at, Number(address >> 96n));
  writeU32(bytes, at + 4, Number((address >> 64n) & 0xffffffffn));
  writeU32(bytes, at + 8, Number((address >> 32n) & 0xffffffffn));
  writeU32(bytes, at + 12, Number(address & 0xffffffffn));
}

export function ipv6Bytes(address: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  writeIpv6(bytes, 0, address);
  return bytes;
}

const ALL_ONES = (1n << 128n) - 1n;

/** The address with all bits after a prefix of so many set to zero. */
export const prefixBase = (address: bigint, length: number): bigint =>
  address & (ALL_ONES ^ (ALL_ONES >> BigInt(length)));

/** The last address of a prefix. */
export const prefixEnd = (address: bigint, length: number): bigint => address | (ALL_ONES >> BigInt(length));

export interface Prefix6 {
  readonly address: bigint;
  readonly length: number;
}

/** `fd77:1::/48`, with no bits set after the prefix. */
export function parsePrefix6(text: string): Prefix6 | undefined {
  const [base = "", width = "", ...more] = text.split("/");
  if (!/^\d{1,3}$/.test(width) || more.length > 0) return undefined;
  const address = parseIpv6(base);
  const length = Number(width);
  if (address === undefined || length > 128) return undefined;
  return prefixBase(address, length) === address ? { address, length } : undefined;
}

export const formatPrefix6 = ({ address, length }: Prefix6): string => `${formatIpv6(address)}/${length}`;
