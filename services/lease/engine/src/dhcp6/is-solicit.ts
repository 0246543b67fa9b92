import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { MAX_RELAYS } from "./message.ts";

const RELAY_HEADER = 34;

/** Whether a packet begins an exchange, through relays too. A look at the bytes, before anything is spent on it. */
export function isSolicit(bytes: Uint8Array): boolean {
  let at = 0;
  for (let relays = 0; relays <= MAX_RELAYS; relays++) {
    if (bytes[at] !== TYPE6.relayForward) return bytes[at] === TYPE6.solicit;
    const inner = relayedAt(bytes, at + RELAY_HEADER);
    if (inner === undefined) return false;
    at = inner;
  }
  return false;
}

function relayedAt(bytes: Uint8Array, start: number): number | undefined {
  for (let at = start; at + 4 < bytes.length; ) {
    const code = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    if (code === CODE6.relayMessage) return at + 4;
    at += 4 + (((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number));
  }
  return undefined;
}
