import type { Datagram } from "./engine.ts";

/** More than this many questions at a time are not asked: the offer then goes out unproved. */
const MOST = 1024;
/** An address that nobody answered for counts as free for this long. */
const CLEAR_MS = 60_000;

/** Addresses that are being asked for before they are offered. */
export class Probes {
  readonly #open = new Map<number, { datagram: Datagram; deadline: number }>();
  readonly #clearUntil = new Map<number, number>();

  /** Whether an address must be asked for, and may be. */
  wants(address: number, now: number): boolean {
    if ((this.#clearUntil.get(address) ?? 0) > now) return false;
    return this.#open.size < MOST;
  }

  /** A client that asks again meanwhile is answered by its latest message. */
  start(address: number, datagram: Datagram, deadline: number): void {
    const kept = { bytes: datagram.bytes.slice(), ingress: { ...datagram.ingress } };
    this.#open.set(address, { datagram: kept, deadline: this.#open.get(address)?.deadline ?? deadline });
  }

  answered(address: number): Datagram | undefined {
    const open = this.#open.get(address);
    this.#open.delete(address);
    return open?.datagram;
  }

  /** The exchanges whose address nobody answered for in time. */
  finished(now: number): Datagram[] {
    const done: Datagram[] = [];
    for (const [address, { datagram, deadline }] of this.#open) {
      if (deadline > now) continue;
      this.#open.delete(address);
      this.#clearUntil.set(address, now + CLEAR_MS);
      done.push(datagram);
    }
    if (this.#clearUntil.size > MOST) {
      for (const [address, until] of this.#clearUntil) if (until <= now) this.#clearUntil.delete(address);
    }
    return done;
  }

  patience(now: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { deadline } of this.#open.values()) least = Math.min(least, Math.max(0, deadline - now));
    return least;
  }
}
