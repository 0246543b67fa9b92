import { readU32 } from "@frontdesk/lease-options/address";

/** What came over the link is not what the peer's version can have sent. */
export class Malformed extends Error {}

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();
/** What the length before a text can say. */
export const MAX_TEXT_OCTETS = 65_535;
/** Of one UTF-16 code unit. */
const MAX_UTF8_OCTETS = 3;
/** Up to so many octets are looked at one by one: a decoder of texts and a copy of octets take longer to begin. */
const MAX_SHORT = 64;

/** Reads one value after the other; what is not there is malformed. */
export class OctetReader {
  readonly #bytes: Uint8Array;
  /** The same octets, when a number or a text of them is first needed. */
  #buffer: Buffer | undefined;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length, buffer?: Buffer) {
    this.#bytes = bytes;
    this.#buffer = buffer;
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
    return this.#buffered().readDoubleBE(this.#take(8));
  }

  bytes(size: number): Uint8Array {
    const at = this.#take(size);
    const copy = new Uint8Array(size);
    if (size > MAX_SHORT) copy.set(this.#bytes.subarray(at, at + size));
    else for (let i = 0; i < size; i++) copy[i] = this.#bytes[at + i] as number;
    return copy;
  }

  /** The octets where they are: who keeps them keeps all that is read from. */
  view(size: number): Uint8Array {
    const { buffer, byteOffset } = this.#bytes;
    return new Uint8Array(buffer, byteOffset + this.#take(size), size);
  }

  text(size: number): string {
    const at = this.#take(size);
    if (size <= MAX_SHORT && this.#isAscii(at, size))
      return this.#buffered().toString("latin1", at, at + size);
    try {
      return decoder.decode(this.#bytes.subarray(at, at + size));
    } catch {
      throw new Malformed("a text is not UTF-8");
    }
  }

  /** The next octets as something of their own: whatever of them is not read is skipped. */
  part(size: number): OctetReader {
    const at = this.#take(size);
    return new OctetReader(this.#bytes, at, at + size, this.#buffered());
  }

  #buffered(): Buffer {
    this.#buffer ??= Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
    return this.#buffer;
  }

  #isAscii(at: number, size: number): boolean {
    for (let i = at; i < at + size; i++) if ((this.#bytes[i] as number) > 0x7f) return false;
    return true;
  }

  #take(size: number): number {
    if (size > this.left) throw new Malformed(`${size} octets are missing`);
    const at = this.#at;
    this.#at += size;
    return at;
  }
}

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
