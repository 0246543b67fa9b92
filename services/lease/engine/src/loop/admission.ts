import type { AnyDatagram } from "./wire.ts";

/** New clients taken on in one round once there is too much to do; those beyond try again by themselves. */
const MAX_NEW = 256;
/** A burst, or what gathered while the disk or the processor was busy elsewhere, is not yet too much. */
const MAX_CROWDED_ROUNDS = 4;

/**
 * What of a round is handled: everything that goes on with an exchange first, then new ones. When
 * round after round is crowded, only so many new ones: what was begun is finished, however much is
 * offered.
 */
export class Admission {
  readonly #isNew: (bytes: Uint8Array, family: 4 | 6) => boolean;
  #crowded = 0;

  constructor(isNew: (bytes: Uint8Array, family: 4 | 6) => boolean) {
    this.#isNew = isNew;
  }

  /** `shed6`: those of `shed` that are of DHCPv6. */
  admit<D extends AnyDatagram>(round: readonly D[]): { taken: D[]; shed: number; shed6: number } {
    const taken: D[] = [];
    const fresh: D[] = [];
    for (const datagram of round) {
      (this.#isNew(datagram.bytes, datagram.family ?? 4) ? fresh : taken).push(datagram);
    }
    this.#crowded = fresh.length > MAX_NEW ? this.#crowded + 1 : 0;
    const room = this.#crowded > MAX_CROWDED_ROUNDS ? MAX_NEW : fresh.length;
    const ordered = room < fresh.length ? inTurn(fresh) : fresh;
    for (const datagram of ordered.slice(0, room)) taken.push(datagram);
    const shed = ordered.slice(room);
    return { taken, shed: shed.length, shed6: shed.filter(({ family }) => family === 6).length };
  }
}

/** One of each interface and protocol, then the next of each: a flood of one leaves the others their turn. */
function inTurn<D extends AnyDatagram>(datagrams: readonly D[]): D[] {
  const source = ({ ingress, family }: D) => `${family ?? 4} ${ingress.interfaceName}`;
  const queues = [...Map.groupBy(datagrams, source).values()];
  const longest = Math.max(...queues.map((queue) => queue.length));
  const ordered: D[] = [];
  for (let i = 0; i < longest; i++) {
    for (const queue of queues) if (i < queue.length) ordered.push(queue[i] as D);
  }
  return ordered;
}
