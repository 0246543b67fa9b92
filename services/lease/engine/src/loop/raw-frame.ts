import { writeU32 } from "@frontdesk/lease-options/address";

const IP_HEADER = 20;
const UDP_HEADER = 8;
export const RAW_HEADERS = IP_HEADER + UDP_HEADER;
const UDP = 17;
const SERVER_PORT = 67;
const TTL = 64;

/** Writes the IPv4 and UDP headers in front of a payload of `length` octets that stands after them. */
export function writeRawHeaders(
  out: Uint8Array,
  at: number,
  length: number,
  from: number,
  to: number,
  port: number,
): void {
  const total = RAW_HEADERS + length;
  const udp = at + IP_HEADER;
  out.fill(0, at, at + RAW_HEADERS);
  out[at] = 0x45;
  out[at + 1] = 0x10;
  writeU16(out, at + 2, total);
  out[at + 8] = TTL;
  out[at + 9] = UDP;
  writeU32(out, at + 12, from);
  writeU32(out, at + 16, to);
  writeU16(out, at + 10, ~sum(out, at, IP_HEADER, 0) & 0xffff);
  writeU16(out, udp, SERVER_PORT);
  writeU16(out, udp + 2, port);
  writeU16(out, udp + 4, UDP_HEADER + length);
  // The pseudo header of RFC 768: addresses, protocol, length.
  const pseudo = sum(out, at + 12, 8, UDP + UDP_HEADER + length);
  writeU16(out, udp + 6, ~sum(out, udp, UDP_HEADER + length, pseudo) & 0xffff || 0xffff);
}

function writeU16(out: Uint8Array, at: number, value: number): void {
  out[at] = value >> 8;
  out[at + 1] = value;
}

/** The ones' complement sum of RFC 1071, folded to 16 bits. */
export function sum(bytes: Uint8Array, at: number, length: number, start: number): number {
  let total = start;
  for (let i = 0; i + 1 < length; i += 2)
    total += ((bytes[at + i] as number) << 8) | (bytes[at + i + 1] as number);
  if (length % 2 === 1) total += (bytes[at + length - 1] as number) << 8;
  while (total > 0xffff) total = (total & 0xffff) + (total >>> 16);
  return total;
}
