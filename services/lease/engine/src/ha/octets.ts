import { readU32 } from "@frontdesk/lease-options/address";

/** What came over the link is not what the peer's version can have sent. */
export class Malformed extends Error {}

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();
/** What the length before a text can say. */
export const MAX_TEXT_OCTETS = 65_535;
/** Of one UTF-16 code unit. */
const MAX_UTF8_OCTETS = 3;
/** Up to this length a text is put together by itself: a decoder takes longer to begin. */
const MAX_SHORT_TEXT = 64;

/** Reads one value after the other; what is not there is malformed. */
export class OctetReader {
  readonly #bytes: Uint8Array;
  /** Made when it is first needed. */
  #view: DataView | undefined;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length, view?: DataView) {
    this.#bytes = bytes;
    this.#view = view;
    this.#at = at;
    this.#end = end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  u8(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  u16(): number {
    const at = this.#take(2);
    return ((this.#bytes[at] as number) << 8) | (this.#bytes[at + 1] as number);
  }

  u32(): number {
    return readU32(this.#bytes, this.#take(4));
  }

  f64(): number {
    return this.#viewed().getFloat64(this.#take(8));
  }

  bytes(size: number): Uint8Array {
    const at = this.#take(size);
    const { buffer, byteOffset } = this.#bytes;
    return new Uint8Array(buffer, byteOffset + at, size).slice();
  }

  text(size: number): string {
    const at = this.#take(size);
    const short = size <= MAX_SHORT_TEXT ? this.#ascii(at, size) : undefined;
    if (short !== undefined) return short;
    try {
      return decoder.decode(this.#bytes.subarray(at, at + size));
    } catch {
      throw new Malformed("a text is not UTF-8");
    }
  }

  /** The next octets as something of their own: whatever of them is not read is skipped. */
  part(size: number): OctetReader {
    const at = this.#take(size);
    return new OctetReader(this.#bytes, at, at + size, this.#viewed());
  }

  #viewed(): DataView {
    this.#view ??= viewOf(this.#bytes);
    return this.#view;
  }

  /** Undefined: it has other characters, too. */
  #ascii(at: number, size: number): string | undefined {
    let text = "";
    for (let i = at; i < at + size; i++) {
      const octet = this.#bytes[i] as number;
      if (octet > 0x7f) return undefined;
      text += String.fromCharCode(octet);
    }
    return text;
  }

  #take(size: number): number {
    if (size > this.left) throw new Malformed(`${size} octets are missing`);
    const at = this.#at;
    this.#at += size;
    return at;
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);

/** Writes one value after the other into memory that grows. */
export class OctetWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  get written(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  /** What was written is done with: the memory is used again. */
  clear(): void {
    this.#at = 0;
  }

  u8(value: number): void {
    const at = this.#room(1);
    this.#view.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.#room(2);
    this.#view.setUint16(at, value);
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value);
  }

  f64(value: number): void {
    const at = this.#room(8);
    this.#view.setFloat64(at, value);
  }

  bytes(value: Uint8Array): void {
    const at = this.#room(value.length);
    this.#bytes.set(value, at);
  }

  /** Writes something with its length before it. */
  sized(write: () => void): void {
    const before = this.#room(4);
    const from = this.#at;
    write();
    this.#view.setUint32(before, this.#at - from);
  }

  /** A text that is too long is cut: what comes after it must be read as what it is. */
  text(value: string): void {
    const before = this.#room(2);
    const most = Math.min(MAX_UTF8_OCTETS * value.length, MAX_TEXT_OCTETS);
    const from = this.#room(most);
    const { written } = encoder.encodeInto(value, this.#bytes.subarray(from, from + most));
    this.#view.setUint16(before, written);
    this.#at = from + written;
  }

  #room(size: number): number {
    const at = this.#at;
    this.#at += size;
    if (this.#at > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(this.#at, this.#bytes.length * 2));
      wider.set(this.#bytes);
      this.#bytes = wider;
      this.#view = new DataView(wider.buffer);
    }
    return at;
  }
}
