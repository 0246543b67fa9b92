import { crc32 } from "node:zlib";

const SIGNATURE_AND_HEADER = 8 + 25;

/** Adds a text chunk to a PNG, right behind its header (PNG specification, 11.3.3.2). */
export function withPngText(png: Uint8Array, keyword: string, text: string): Uint8Array {
  const chunk = Buffer.from(`----tEXt${keyword}\0${text}----`, "latin1");
  const body = chunk.subarray(4, -4);
  chunk.writeUInt32BE(body.length - 4, 0);
  chunk.writeUInt32BE(crc32(body), chunk.length - 4);

  const whole = new Uint8Array(png.length + chunk.length);
  whole.set(png.subarray(0, SIGNATURE_AND_HEADER));
  whole.set(chunk, SIGNATURE_AND_HEADER);
  whole.set(png.subarray(SIGNATURE_AND_HEADER), SIGNATURE_AND_HEADER + chunk.length);
  return whole;
}
