/** The part of IPP (RFC 8010) that a print job needs: requests with attributes in, attributes out. */

export type IppValue =
  | { readonly tag: "integer" | "enum"; readonly value: number }
  | { readonly tag: "boolean"; readonly value: boolean }
  | {
      readonly tag: "text" | "name" | "keyword" | "uri" | "charset" | "language" | "mime";
      readonly value: string;
    };

export interface IppGroup {
  readonly tag: number;
  readonly attributes: Readonly<Record<string, readonly IppValue[]>>;
}

export interface IppMessage {
  /** The operation of a request, the status of a response. */
  readonly code: number;
  readonly requestId: number;
  readonly groups: readonly IppGroup[];
}

export const GROUP = { operation: 0x01, job: 0x02, end: 0x03, printer: 0x04, unsupported: 0x05 } as const;
const VERSION = 0x0200;
/**
 * Groups cost a hundred times what their byte does when they are read, and everybody waits meanwhile. A print server
 * has one for each queue, or for each job that waits, with a few values.
 */
const MAX_GROUPS = 50_000;
const MAX_VALUES = 250_000;

const TAGS = {
  integer: 0x21,
  boolean: 0x22,
  enum: 0x23,
  text: 0x41,
  name: 0x42,
  keyword: 0x44,
  uri: 0x45,
  charset: 0x47,
  language: 0x48,
  mime: 0x49,
} as const;
const TAG_NAMES = new Map<number, keyof typeof TAGS>(
  (Object.entries(TAGS) as Array<[keyof typeof TAGS, number]>).map(([name, tag]) => [tag, name]),
);

export function encodeIpp({ code, requestId, groups }: IppMessage): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(code, 2);
  head.writeUInt32BE(requestId, 4);
  const body = groups.flatMap(({ tag, attributes }) => [
    Buffer.from([tag]),
    ...Object.entries(attributes).flatMap(([name, values]) =>
      values.map((value, index) => encodeAttribute(index === 0 ? name : "", value)),
    ),
  ]);
  return Buffer.concat([head, ...body, Buffer.from([GROUP.end])]);
}

function encodeAttribute(name: string, value: IppValue): Buffer {
  const bytes = encodeValue(value);
  const nameBytes = Buffer.from(name);
  const frame = Buffer.alloc(1 + 2 + nameBytes.length + 2 + bytes.length);
  frame.writeUInt8(TAGS[value.tag], 0);
  frame.writeUInt16BE(nameBytes.length, 1);
  nameBytes.copy(frame, 3);
  frame.writeUInt16BE(bytes.length, 3 + nameBytes.length);
  bytes.copy(frame, 5 + nameBytes.length);
  return frame;
}

function encodeValue(value: IppValue): Buffer {
  if (value.tag === "boolean") return Buffer.from([value.value ? 1 : 0]);
  if (typeof value.value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value.value);
    return bytes;
  }
  return Buffer.from(String(value.value), "utf8");
}

/** Reads a response. Values of kinds we have no use for are left out; a message that is cut or too long throws. */
export function decodeIpp(bytes: Buffer): IppMessage {
  const groups: Array<{ tag: number; attributes: Map<string, IppValue[]> }> = [];
  let at = 8;
  let name = "";
  let values = 0;
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at++);
    if (tag === GROUP.end) break;
    if (tag < 0x10) {
      if (groups.length === MAX_GROUPS) throw new Error("The IPP message has too many groups.");
      groups.push({ tag, attributes: new Map() });
      continue;
    }
    if (++values > MAX_VALUES) throw new Error("The IPP message has too many values.");
    const nameLength = bytes.readUInt16BE(at);
    if (nameLength > 0) name = bytes.toString("utf8", at + 2, at + 2 + nameLength);
    at += 2 + nameLength;
    const length = bytes.readUInt16BE(at);
    at += 2;
    if (at + length > bytes.length) throw new Error("The IPP message is cut short.");
    const value = decodeValue(tag, bytes.subarray(at, at + length));
    at += length;
    const group = groups.at(-1);
    if (!group || !value) continue;
    const sameName = group.attributes.get(name) ?? [];
    sameName.push(value);
    group.attributes.set(name, sameName);
  }
  return {
    code: bytes.readUInt16BE(2),
    requestId: bytes.readUInt32BE(4),
    groups: groups.map(({ tag, attributes }) => ({ tag, attributes: Object.fromEntries(attributes) })),
  };
}

function decodeValue(tag: number, bytes: Buffer): IppValue | undefined {
  const name = TAG_NAMES.get(tag);
  if (!name) return undefined;
  if (name === "boolean") return { tag: name, value: bytes[0] === 1 };
  if (name === "integer" || name === "enum") return { tag: name, value: bytes.readInt32BE(0) };
  return { tag: name, value: bytes.toString("utf8") };
}
