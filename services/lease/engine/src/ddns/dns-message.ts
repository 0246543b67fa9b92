import { MAX_LABEL, MAX_NAME, nameOctets } from "./domain-name.ts";

export const RECORD = { a: 1, ptr: 12, aaaa: 28, dhcid: 49, tsig: 250, any: 255, soa: 6 } as const;
const CLASS = { in: 1, none: 254, any: 255 } as const;
const OPCODE = { query: 0, update: 5 } as const;
export type Opcode = keyof typeof OPCODE;
const HEADER = 12;
const POINTER = 0xc0;
/** In one name; who compresses names needs one, or one for each name that it goes on with. */
const MAX_POINTERS = 16;

/** RFC 2136 section 2.2 and RFC 8945 section 3. */
export const RCODES = {
  0: "NOERROR",
  1: "FORMERR",
  2: "SERVFAIL",
  3: "NXDOMAIN",
  4: "NOTIMP",
  5: "REFUSED",
  6: "YXDOMAIN",
  7: "YXRRSET",
  8: "NXRRSET",
  9: "NOTAUTH",
  10: "NOTZONE",
  16: "BADSIG",
  17: "BADKEY",
  18: "BADTIME",
} as const;
export type Rcode = (typeof RCODES)[keyof typeof RCODES];

/** A record, a prerequisite or a change: RFC 2136 tells them apart by class and by whether there is data. */
export interface ResourceRecord {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly data: Uint8Array;
}

const NOTHING = new Uint8Array(0);
const record = (
  name: string,
  type: number,
  of: number,
  data: Uint8Array = NOTHING,
  ttl = 0,
): ResourceRecord => ({
  name,
  type,
  class: of,
  ttl,
  data,
});

/** RFC 2136 section 2.4. */
export const prerequisite = {
  nameIsAbsent: (name: string) => record(name, RECORD.any, CLASS.none),
  recordExists: (name: string, type: number, data: Uint8Array) => record(name, type, CLASS.in, data),
  typeIsAbsent: (name: string, type: number) => record(name, type, CLASS.none),
};

/** RFC 2136 section 2.5. */
export const change = {
  add: (name: string, type: number, data: Uint8Array, ttl: number) => record(name, type, CLASS.in, data, ttl),
  deleteType: (name: string, type: number) => record(name, type, CLASS.any),
  deleteRecord: (name: string, type: number, data: Uint8Array) => record(name, type, CLASS.none, data),
};

export interface Update {
  readonly zone: string;
  readonly prerequisites: readonly ResourceRecord[];
  readonly changes: readonly ResourceRecord[];
}

export function encodeUpdate(id: number, { zone, prerequisites, changes }: Update): Uint8Array {
  const header = Buffer.alloc(HEADER);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(OPCODE.update << 11, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(prerequisites.length, 6);
  header.writeUInt16BE(changes.length, 8);
  const question = Buffer.concat([nameOctets(zone), u16(RECORD.soa), u16(CLASS.in)]);
  return Buffer.concat([header, question, ...[...prerequisites, ...changes].map(encodeRecord)]);
}

/** A question to the server itself: it need not ask others. */
export function encodeQuery(id: number, name: string, type: number): Uint8Array {
  const header = Buffer.alloc(HEADER);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(1, 4);
  return Buffer.concat([header, nameOctets(name), u16(type), u16(CLASS.in)]);
}

export function encodeRecord({ name, type, class: of, ttl, data }: ResourceRecord): Uint8Array {
  return Buffer.concat([nameOctets(name), u16(type), u16(of), u32(ttl), u16(data.length), data]);
}

/** A message with one record more in its additional section. */
export function withAdditional(message: Uint8Array, added: ResourceRecord): Uint8Array {
  const whole = Buffer.concat([message, encodeRecord(added)]);
  whole.writeUInt16BE(whole.readUInt16BE(10) + 1, 10);
  return whole;
}

export const tsigRecord = (key: string, data: Uint8Array) => record(key, RECORD.tsig, CLASS.any, data);

export interface AnswerRecord {
  readonly type: number;
  /** Of a name, the name, canonical. */
  readonly data: Uint8Array | string;
}

export interface Reply {
  readonly rcode: Rcode | undefined;
  /** The records of the answer section. */
  readonly answers: readonly AnswerRecord[];
  /** There was more than a datagram holds. */
  readonly isCut: boolean;
  /** The signature at its end, and the message as it was before that was added. */
  readonly tsig: { readonly data: Uint8Array; readonly before: Uint8Array } | undefined;
}

/** The reply to the update or query of this id, as far as it matters; undefined when it is none. */
export function decodeReply(bytes: Uint8Array, id: number, opcode: Opcode = "update"): Reply | undefined {
  try {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // First of all: whoever does not know the id costs nothing more.
    if (view.readUInt16BE(0) !== id) return undefined;
    const flags = view.readUInt16BE(2);
    if ((flags & 0x8000) === 0 || ((flags >> 11) & 15) !== OPCODE[opcode]) return undefined;
    const [questions = 0, answered = 0, ...others] = [4, 6, 8, 10].map((at) => view.readUInt16BE(at));
    let at = HEADER;
    for (let n = 0; n < questions; n++) at = skipName(view, at) + 4;
    let tsig: Reply["tsig"];
    const answers: AnswerRecord[] = [];
    const records = others.reduce((sum, count) => sum + count, answered);
    for (let n = 0; n < records; n++) {
      const fixed = skipName(view, at);
      const data = fixed + 10;
      const end = data + view.readUInt16BE(fixed + 8);
      if (end > view.length) return undefined;
      if (view.readUInt16BE(fixed) === RECORD.tsig && n === records - 1) {
        const before = Buffer.from(view.subarray(0, at));
        before.writeUInt16BE(view.readUInt16BE(10) - 1, 10);
        tsig = { data: view.subarray(data, end), before };
      }
      const type = view.readUInt16BE(fixed);
      if (opcode === "query" && n < answered)
        answers.push({ type, data: type === RECORD.ptr ? readName(view, data) : view.subarray(data, end) });
      at = end;
    }
    const rcode = RCODES[(flags & 15) as keyof typeof RCODES];
    return { rcode, answers, isCut: (flags & 0x0200) !== 0, tsig };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A name, which may go on somewhere before (RFC 1035 section 4.1.4). */
function readName(view: Buffer, from: number): string {
  const labels: string[] = [];
  let [octets, pointers] = [0, 0];
  // Each pointer leads further to the front: there is no circle.
  for (let at = from, start = from; ; ) {
    const length = view.readUInt8(at);
    if (length === 0) return labels.join(".").toLowerCase();
    if ((length & POINTER) === POINTER) {
      const to = view.readUInt16BE(at) & 0x3fff;
      if (to >= start) throw new RangeError("a pointer that does not lead to the front");
      if (++pointers > MAX_POINTERS) throw new RangeError("a name of too many pointers");
      at = to;
      start = to;
    } else {
      octets += 1 + length;
      if (length > MAX_LABEL || octets > MAX_NAME + 1) throw new RangeError("a name that is too long");
      labels.push(view.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
}

/** Where a name ends; a pointer ends it. */
export function skipName(view: Buffer, from: number): number {
  for (let at = from; ; ) {
    const length = view.readUInt8(at);
    if (length === 0) return at + 1;
    if ((length & POINTER) === POINTER) return at + 2;
    at += 1 + length;
  }
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
