import type { Datagram } from "./wire.ts";

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
  readonly #isNew: (bytes: Uint8Array) => boolean;
  #crowded = 0;

  constructor(isNew: (bytes: Uint8Array) => boolean) {
    this.#isNew = isNew;
  }

  admit(round: readonly Datagram[]): { taken: Datagram[]; shed: number } {
    const taken: Datagram[] = [];
    const fresh: Datagram[] = [];
    for (const datagram of round) (this.#isNew(datagram.bytes) ? fresh : taken).push(datagram);
    this.#crowded = fresh.length > MAX_NEW ? this.#crowded + 1 : 0;
    const room = this.#crowded > MAX_CROWDED_ROUNDS ? MAX_NEW : fresh.length;
    for (const datagram of room < fresh.length ? inTurn(fresh).slice(0, room) : fresh) taken.push(datagram);
    return { taken, shed: Math.max(0, fresh.length - room) };
  }
}

/** One of each interface, then the next of each: a flood on one of them leaves the others their turn. */
function inTurn(datagrams: readonly Datagram[]): Datagram[] {
  const queues = [...Map.groupBy(datagrams, ({ ingress }) => ingress.interfaceName).values()];
  const longest = Math.max(...queues.map((queue) => queue.length));
  const ordered: Datagram[] = [];
  for (let i = 0; i < longest; i++) {
    for (const queue of queues) if (i < queue.length) ordered.push(queue[i] as Datagram);
  }
  return ordered;
}
