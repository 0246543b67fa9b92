import { plainText } from "../domain/printer-clues.ts";

/**
 * The discovery of Zebra's print servers. The maker publishes no description; this is what a captured
 * exchange shows (docs/decisions/0010-finding-printers.md): a question of six bytes, and an answer with fields
 * at fixed places. What an answer of another version holds is not known, and not guessed at.
 */
export const ZEBRA_PORT = 4201;
export const ZEBRA_QUESTION = Buffer.from([0x2e, 0x2c, 0x3a, 0x01, 0x00, 0x00]);
const ANSWER = Buffer.from([0x3a, 0x2c, 0x2e]);
const KNOWN_VERSION = 3;
const LONGEST = 2048;

const text = (at: number, length: number) => (bytes: Buffer) =>
  plainText(bytes.toString("latin1", at, at + length).split("\0")[0]);
const ipv4 = (at: number) => (bytes: Buffer) => bytes.subarray(at, at + 4).join(".");

/** Where each thing is in an answer of the version we know. */
const FIELDS = {
  productNumber: text(4, 8),
  productName: text(12, 20),
  firmware: text(39, 10),
  hardwareAddress: (bytes: Buffer) => bytes.toString("hex", 54, 60),
  serial: text(60, 10),
  address: ipv4(72),
  systemName: text(84, 25),
};
const SHORTEST = 84;

export interface ZebraAnswer {
  readonly version: number;
  /** Nothing where the answer is of a version we cannot read. */
  readonly fields?: { readonly [K in keyof typeof FIELDS]: ReturnType<(typeof FIELDS)[K]> };
}

/** Reads an answer; undefined for bytes that are none. */
export function readZebraAnswer(bytes: Buffer): ZebraAnswer | undefined {
  const version = bytes[3];
  if (version === undefined || bytes.length > LONGEST || !bytes.subarray(0, 3).equals(ANSWER))
    return undefined;
  if (version !== KNOWN_VERSION) return { version };
  if (bytes.length < SHORTEST) return undefined;
  const values = Object.entries(FIELDS).map(([name, read]) => [name, read(bytes)]);
  return { version, fields: Object.fromEntries(values) };
}
