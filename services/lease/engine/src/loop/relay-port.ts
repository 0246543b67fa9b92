import { hash } from "node:crypto";
import { formatHex } from "@frontdesk/lease-options/address";

/** A longer identifier stands in the name of its port with its beginning and a hash: names are kept with every lease. */
const MAX_IDENTIFIER = 32;
const BEGINNING = 16;
const HASH_DIGITS = 32;

/** The name of a port of a relay, by what the relay calls it. */
export function portOfRelay(relay: string, identifier: Uint8Array): string {
  if (identifier.length <= MAX_IDENTIFIER) return `${relay} ${formatHex(identifier, "")}`;
  const digest = hash("sha256", identifier, "hex").slice(0, HASH_DIGITS);
  return `${relay} ${formatHex(identifier.subarray(0, BEGINNING), "")}~${digest}`;
}
