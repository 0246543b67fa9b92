import { TYPE } from "../codec/option-table.ts";
import type { Datagram } from "../engine/engine.ts";

/** New clients taken on in one round; those beyond are shed, and try again by themselves. */
export const NEW_PER_ROUND = 256;

/** Whether a packet begins an exchange. A look at the bytes, before anything is spent on it. */
export function isDiscover(bytes: Uint8Array): boolean {
  for (let at = 240; at + 2 < bytes.length; ) {
    const code = bytes[at] as number;
    if (code === 53) return bytes[at + 2] === TYPE.discover;
    if (code === 255) return false;
    at += code === 0 ? 1 : 2 + (bytes[at + 1] as number);
  }
  return false;
}

/**
 * What of a round is handled: everything that goes on with an exchange first, then new ones as far
 * as there is room. So what was begun is finished, however much is offered.
 */
export function admit(round: readonly Datagram[]): { taken: Datagram[]; shed: number } {
  const taken: Datagram[] = [];
  const fresh: Datagram[] = [];
  for (const datagram of round) (isDiscover(datagram.bytes) ? fresh : taken).push(datagram);
  taken.push(...fresh.slice(0, NEW_PER_ROUND));
  return { taken, shed: Math.max(0, fresh.length - NEW_PER_ROUND) };
}
