import { writeIpv6, writeU32 } from "@frontdesk/lease-options/address";

/** Writes one after the other into memory of a fixed size; what does not fit is refused, never cut. */
export class OctetWriter {
  readonly bytes: Uint8Array;
  readonly limit: number;
  at = 0;

  constructor(bytes: Uint8Array, limit = bytes.length) {
    this.bytes = bytes;
    this.limit = limit;
  }

  has(size: number): boolean {
    return this.at + size <= this.limit;
  }

  u8(value: number): void {
    this.bytes[this.at++] = value;
  }

  u16(value: number): void {
    this.bytes[this.at++] = value >> 8;
    this.bytes[this.at++] = value;
  }

  u32(value: number): void {
    writeU32(this.bytes, this.at, value);
    this.at += 4;
  }

  address(value: bigint): void {
    writeIpv6(this.bytes, this.at, value);
    this.at += 16;
  }

  raw(value: Uint8Array): void {
    this.bytes.set(value, this.at);
    this.at += value.length;
  }
}
