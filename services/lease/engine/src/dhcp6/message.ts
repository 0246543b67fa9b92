import { readIpv6 } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { OctetWriter } from "./octet-writer.ts";
import { firstOption, HEADER, type Option6, readOptions, writeOption } from "./options.ts";

const MESSAGE_HEADER = 4;
const RELAY_HEADER = 34;
/** Relays that a message may have passed. RFC 9915 section 7.6 lets relays pass on 8. */
export const MAX_RELAYS = 32;
/** What fits a frame, and a slot of the send buffer. */
export const MAX_REPLY6 = 1500;

/** A message between client and server (RFC 9915 section 8). */
export interface Message6 {
  readonly type: number;
  /** 24 bits. */
  readonly xid: number;
  readonly options: readonly Option6[];
}

/** What one relay put around a message (RFC 9915 section 9). */
export interface RelayHop {
  readonly hops: number;
  readonly link: bigint;
  readonly peer: bigint;
  /** Without the relayed message itself. */
  readonly options: readonly Option6[];
}

export interface Packet6 {
  readonly message: Message6;
  /** From the outermost, which is next to the server, to the innermost, which is next to the client. */
  readonly relays: readonly RelayHop[];
  /** Relay-forward or relay-reply; undefined without a relay. */
  readonly relayType: number | undefined;
}

export interface Malformed {
  readonly malformed: string;
}

const isRelayed = (type: number | undefined) => type === TYPE6.relayForward || type === TYPE6.relayReply;

/** Reads a packet. Whatever the bytes are, it answers; it never throws and never reads outside. */
export function decodePacket(bytes: Uint8Array): Packet6 | Malformed {
  const relays: RelayHop[] = [];
  const relayType = isRelayed(bytes[0]) ? bytes[0] : undefined;
  let inner = bytes;
  while (isRelayed(inner[0])) {
    if (inner[0] !== relayType) return { malformed: "a relay-forward and a relay-reply in each other" };
    if (relays.length === MAX_RELAYS) return { malformed: `more than ${MAX_RELAYS} relays` };
    if (inner.length < RELAY_HEADER) return { malformed: "shorter than the header of a relay" };
    const options = readOptions(inner, RELAY_HEADER, inner.length);
    if (!options) return { malformed: "an option of a relay runs past the end" };
    relays.push({
      hops: inner[1] as number,
      link: readIpv6(inner, 2),
      peer: readIpv6(inner, 18),
      options: options.filter(({ code }) => code !== CODE6.relayMessage),
    });
    const relayed = firstOption(options, CODE6.relayMessage);
    if (!relayed) return { malformed: "a relay without a relayed message" };
    inner = relayed;
  }
  if (inner.length < MESSAGE_HEADER) return { malformed: "shorter than the header of a message" };
  const options = readOptions(inner, MESSAGE_HEADER, inner.length, true) ?? [];
  const xid = ((inner[1] as number) << 16) | ((inner[2] as number) << 8) | (inner[3] as number);
  return { message: { type: inner[0] as number, xid, options }, relays, relayType };
}

const optionsSize = (options: readonly Option6[]) =>
  options.reduce((sum, { value }) => sum + HEADER + value.length, 0);

/** How many octets a packet has. */
export const sizeOf = ({ message, relays }: Packet6): number =>
  relays.reduce(
    (sum, { options }) => sum + RELAY_HEADER + optionsSize(options) + HEADER,
    MESSAGE_HEADER + optionsSize(message.options),
  );

export interface Encoded6 {
  readonly length: number;
  /** Options that did not fit. */
  readonly left: readonly number[];
}

/** Writes a packet of at most `size` octets; options that do not fit are left out, the first ones come first. */
export function encodePacket(packet: Packet6, bytes: Uint8Array, size = bytes.length): Encoded6 {
  const out = new OctetWriter(bytes, size);
  const lengths: number[] = [];
  const left: number[] = [];
  const add = (options: readonly Option6[]) => {
    for (const option of options) if (!writeOption(out, option)) left.push(option.code);
  };
  for (const { hops, link, peer, options } of packet.relays) {
    if (!out.has(RELAY_HEADER)) return { length: 0, left: [] };
    out.u8(packet.relayType as number);
    out.u8(hops);
    out.address(link);
    out.address(peer);
    add(options);
    if (!out.has(HEADER)) return { length: 0, left: [] };
    out.u16(CODE6.relayMessage);
    lengths.push(out.at);
    out.u16(0);
  }
  if (!out.has(MESSAGE_HEADER)) return { length: 0, left: [] };
  const { type, xid, options } = packet.message;
  out.u8(type);
  out.u8(xid >> 16);
  out.u16(xid & 0xffff);
  add(options);
  for (const at of lengths) {
    const length = out.at - at - 2;
    bytes[at] = length >> 8;
    bytes[at + 1] = length;
  }
  return { length: out.at, left };
}
