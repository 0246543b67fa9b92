import { readU32, writeU32 } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";
import { type Area, FILE_AREA, readArea, SNAME_AREA, writeOptions } from "./option-area.ts";

export const BOOTREQUEST = 1;
export const BOOTREPLY = 2;
export const BROADCAST_FLAG = 0x8000;

const SNAME = 44;
const FILE = 108;
const COOKIE = 236;
const OPTIONS = 240;
const MAGIC = 0x63825363;
/** RFC 1542 section 2.1: a BOOTP message has at least 300 octets. */
const MIN_MESSAGE = 300;
/** IP and UDP headers count towards the size of option 57 (RFC 2132 section 9.10). */
export const IP_UDP_HEADERS = 28;
/** RFC 2131 section 2: what every client must be able to receive. */
export const DEFAULT_MESSAGE_SIZE = 576;

/** What the fields can hold beside their NUL. */
export const MAX_SNAME = FILE - SNAME - 1;
export const MAX_FILE = COOKIE - FILE - 1;

export interface Message {
  readonly op: number;
  readonly htype: number;
  readonly hlen: number;
  readonly hops: number;
  readonly xid: number;
  readonly secs: number;
  readonly flags: number;
  readonly ciaddr: number;
  readonly yiaddr: number;
  readonly siaddr: number;
  readonly giaddr: number;
  /** The hardware address, `hlen` octets of it. */
  readonly chaddr: Uint8Array;
  /** The server's name and the boot file, as long as the fields are not taken by options. */
  readonly sname: Uint8Array;
  readonly file: Uint8Array;
  readonly options: Options;
  /** Message type (option 53); 0 for plain BOOTP. */
  readonly type: number;
}

/** Why a packet is not a message. */
export interface Malformed {
  readonly malformed: string;
}

const EMPTY = new Uint8Array(0);

/** Reads a packet. Whatever the bytes are, it answers; it never throws and never reads outside. */
export function decodeMessage(bytes: Uint8Array): Message | Malformed {
  if (bytes.length < OPTIONS) {
    if (bytes.length < COOKIE) return { malformed: "shorter than the fixed header" };
    return readHeader(bytes, new Map(), 0);
  }
  if (readU32(bytes, COOKIE) !== MAGIC) return readHeader(bytes, new Map(), 0);

  const options: Options = new Map();
  if (!readArea(bytes, OPTIONS, bytes.length, options)) {
    return { malformed: "an option runs past the end of the packet" };
  }
  const overload = options.get(CODE.overload);
  const taken = overload?.length === 1 ? (overload[0] as number) : 0;
  if (taken > 3 || (overload !== undefined && taken === 0)) {
    return { malformed: "the overload option is neither 1, 2 nor 3" };
  }
  // RFC 3396 section 5: the areas are joined in the order options, file, sname.
  if (taken & FILE_AREA && !readArea(bytes, FILE, COOKIE, options)) {
    return { malformed: "an option runs past the end of the file field" };
  }
  if (taken & SNAME_AREA && !readArea(bytes, SNAME, FILE, options)) {
    return { malformed: "an option runs past the end of the sname field" };
  }
  options.delete(CODE.overload);
  const type = options.get(CODE.messageType);
  if (type !== undefined && type.length !== 1) return { malformed: "the message type is not one octet" };
  return readHeader(bytes, options, taken);
}

function readHeader(bytes: Uint8Array, options: Options, taken: number): Message | Malformed {
  const hlen = bytes[2] as number;
  if (hlen > 16) return { malformed: "the hardware address is longer than 16 octets" };
  const op = bytes[0] as number;
  if (op !== BOOTREQUEST && op !== BOOTREPLY) return { malformed: "neither a request nor a reply" };
  return {
    op,
    htype: bytes[1] as number,
    hlen,
    hops: bytes[3] as number,
    xid: readU32(bytes, 4),
    secs: ((bytes[8] as number) << 8) | (bytes[9] as number),
    flags: ((bytes[10] as number) << 8) | (bytes[11] as number),
    ciaddr: readU32(bytes, 12),
    yiaddr: readU32(bytes, 16),
    siaddr: readU32(bytes, 20),
    giaddr: readU32(bytes, 24),
    chaddr: bytes.subarray(28, 28 + hlen),
    sname: taken & SNAME_AREA ? EMPTY : field(bytes, SNAME, FILE),
    file: taken & FILE_AREA ? EMPTY : field(bytes, FILE, COOKIE),
    options,
    type: options.get(CODE.messageType)?.[0] ?? 0,
  };
}

/** A text field up to its first NUL. */
function field(bytes: Uint8Array, start: number, end: number): Uint8Array {
  if (bytes[start] === 0) return EMPTY;
  let at = start;
  while (at < end && bytes[at] !== 0) at++;
  return bytes.subarray(start, at);
}

const SPARE_AREAS: readonly Area[] = [
  { flag: FILE_AREA, start: FILE, end: COOKIE },
  { flag: SNAME_AREA, start: SNAME, end: FILE },
];
/** The fields that options may go on in, by those that are taken. */
const SPARE_BESIDE = [0, 1, 2, 3].map((taken) => SPARE_AREAS.filter(({ flag }) => (taken & flag) === 0));

export interface Encoded {
  readonly length: number;
  /** Options that fitted nowhere. */
  readonly left: readonly number[];
}

/**
 * Writes a message of at most `size` octets (IP and UDP headers included) into `out`, which must
 * hold as many.
 */
export function encodeMessage(
  message: Message,
  out: Uint8Array,
  size: number = DEFAULT_MESSAGE_SIZE,
): Encoded {
  out.fill(0, 0, MIN_MESSAGE);
  out[0] = message.op;
  out[1] = message.htype;
  out[2] = message.hlen;
  out[3] = message.hops;
  writeU32(out, 4, message.xid);
  out[8] = message.secs >> 8;
  out[9] = message.secs;
  out[10] = message.flags >> 8;
  out[11] = message.flags;
  writeU32(out, 12, message.ciaddr);
  writeU32(out, 16, message.yiaddr);
  writeU32(out, 20, message.siaddr);
  writeU32(out, 24, message.giaddr);
  for (let i = 0; i < message.chaddr.length; i++) out[28 + i] = message.chaddr[i] as number;
  out.set(message.sname.subarray(0, MAX_SNAME), SNAME);
  out.set(message.file.subarray(0, MAX_FILE), FILE);
  if (message.options.size === 0) return { length: MIN_MESSAGE, left: [] };

  writeU32(out, COOKIE, MAGIC);
  const taken = (message.file.length > 0 ? FILE_AREA : 0) | (message.sname.length > 0 ? SNAME_AREA : 0);
  const spare = SPARE_BESIDE[taken] as readonly Area[];
  const { end, left } = writeOptions(out, OPTIONS, size - IP_UDP_HEADERS, message.options, spare);
  return { length: Math.max(end, MIN_MESSAGE), left };
}
