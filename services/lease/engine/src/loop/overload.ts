import { TYPE } from "@frontdesk/lease-options/option-table";
import type { Datagram } from "./engine.ts";

/** New clients taken on in one round once there is too much to do; those beyond try again by themselves. */
const NEW_PER_ROUND = 256;
/** A burst, or what gathered while the disk or the processor was busy elsewhere, is not yet too much. */
const CROWDED_ROUNDS = 4;

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
 * What of a round is handled: everything that goes on with an exchange first, then new ones. When
 * round after round is crowded, only so many new ones: what was begun is finished, however much is
 * offered.
 */
export class Admission {
  #crowded = 0;

  admit(round: readonly Datagram[]): { taken: Datagram[]; shed: number } {
    const taken: Datagram[] = [];
    const fresh: Datagram[] = [];
    for (const datagram of round) (isDiscover(datagram.bytes) ? fresh : taken).push(datagram);
    this.#crowded = fresh.length > NEW_PER_ROUND ? this.#crowded + 1 : 0;
    const room = this.#crowded > CROWDED_ROUNDS ? NEW_PER_ROUND : fresh.length;
    for (let i = 0; i < Math.min(room, fresh.length); i++) taken.push(fresh[i] as Datagram);
    return { taken, shed: Math.max(0, fresh.length - room) };
  }
}
