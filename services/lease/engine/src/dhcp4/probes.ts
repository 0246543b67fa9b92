import { sameBytes } from "@frontdesk/lease-options/address";
import type { Datagram, ProbeAnswer } from "../loop/wire.ts";

/** More than this many probes at a time are not sent: the offer then goes out unproved. */
const MAX_OPEN = 1024;
/** An address that nobody answered for counts as free for this long. */
const CLEAR_MS = 60_000;

/** Addresses that are being probed before they are offered, and the exchanges that wait for it. */
export class Probes {
  readonly #open = new Map<number, { datagram: Datagram; client: Uint8Array; deadline: number }>();
  readonly #clearUntil = new Map<number, number>();

  /** Whether an address must be probed, and can be. */
  wants(address: number, now: number): boolean {
    return (this.#clearUntil.get(address) ?? 0) <= now && this.#open.size < MAX_OPEN;
  }

  isOpen(address: number): boolean {
    return this.#open.has(address);
  }

  /** A client that asks again meanwhile is answered by its latest message. */
  start(address: number, datagram: Datagram, client: Uint8Array, deadline: number): void {
    const kept = { bytes: datagram.bytes.slice(), ingress: { ...datagram.ingress } };
    this.#open.set(address, {
      datagram: kept,
      client: client.slice(),
      deadline: this.#open.get(address)?.deadline ?? deadline,
    });
  }

  /** The exchange that an answer decides. The client itself may answer: it has the address already. */
  answered({ address, hardware }: ProbeAnswer): Datagram | undefined {
    const open = this.#open.get(address);
    if (!open || (hardware && sameBytes(hardware, open.client))) return undefined;
    return open.datagram;
  }

  end(address: number): void {
    this.#open.delete(address);
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
    if (this.#clearUntil.size > MAX_OPEN) {
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
