import { crc32 } from "node:zlib";

const SIGNATURE_AND_HEADER = 8 + 25;

/** Adds a text chunk to a PNG, right behind its header (PNG specification, 11.3.3.2). */
export function withPngText(png: Uint8Array, keyword: string, text: string): Uint8Array {
  const body = Buffer.from(`tEXt${keyword}\0${text}`, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length - 4);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([
    png.subarray(0, SIGNATURE_AND_HEADER),
    length,
    body,
    check,
    png.subarray(SIGNATURE_AND_HEADER),
  ]);
}
