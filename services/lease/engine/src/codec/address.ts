/** Addresses are unsigned 32-bit numbers everywhere inside; text only at the edges. */

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

/** `02:00:00:00:00:50`, or with dashes, or bare hex digits. */
export function parseHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/^0x/i, "").replace(/[:-]/g, "");
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return undefined;
  return Uint8Array.from(Buffer.from(digits, "hex"));
}

const HEX = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, "0"));

export function formatHex(bytes: Uint8Array, separator = ":"): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += (i === 0 ? "" : separator) + HEX[bytes[i] as number];
  return text;
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
