import { sameBytes } from "@frontdesk/lease-options/address";
import type { Datagram, ProbeAnswer, Waiting } from "../loop/wire.ts";

/** More than this many probes at a time are not sent: the offer then goes out unproved. */
const MAX_OPEN = 1024;
/** An address that nobody answered for counts as free for this long. */
const CLEAR_MS = 60_000;
/** Who has an address and answered for it counts as there for this long. */
const PRESENT_MS = 60_000;
/** How long after a conflict that could not be written it is tried again. */
const RETRY_MS = 1000;

interface OpenProbe {
  readonly datagram: Datagram;
  readonly client: Uint8Array;
  readonly deadline: number;
  readonly isInUse: boolean;
}

/** Addresses that are being probed before they are offered, and the exchanges that wait for it. */
export class Probes {
  readonly #open = new Map<number, OpenProbe>();
  readonly #clearUntil = new Map<number, number>();
  readonly #presentUntil = new Map<number, number>();

  /** Whether an address must be probed, and can be. */
  wants(address: number, now: number): boolean {
    return (this.#clearUntil.get(address) ?? 0) <= now && this.#open.size < MAX_OPEN;
  }

  isOpen(address: number): boolean {
    return this.#open.has(address);
  }

  /** The hardware address of the client that waits for an address. */
  clientOf(address: number): Uint8Array | undefined {
    return this.#open.get(address)?.client;
  }

  holderAnswered(address: number, now: number): void {
    this.#presentUntil.set(address, now + PRESENT_MS);
    if (this.#presentUntil.size > MAX_OPEN) forgetPast(this.#presentUntil, now);
  }

  hasAnswered(address: number, now: number): boolean {
    return (this.#presentUntil.get(address) ?? 0) > now;
  }

  /** A client that asks again meanwhile is answered by its latest message. */
  start(address: number, datagram: Datagram, client: Uint8Array, deadline: number): void {
    const kept = { bytes: datagram.bytes.slice(), ingress: { ...datagram.ingress } };
    const open = this.#open.get(address);
    this.#open.set(address, {
      datagram: kept,
      client: client.slice(),
      deadline: open?.deadline ?? deadline,
      isInUse: open?.isInUse ?? false,
    });
  }

  /**
   * The exchange that an answer decides. The client itself may answer: it has the address already.
   * The address stays in use, whatever becomes of the exchange, until `end`.
   */
  answered({ address, hardware }: ProbeAnswer): Waiting | undefined {
    const open = this.#open.get(address);
    if (!open || (hardware && sameBytes(hardware, open.client))) return undefined;
    this.#open.set(address, { ...open, isInUse: true });
    return { ...open.datagram, conflict: address };
  }

  end(address: number): void {
    this.#open.delete(address);
  }

  /** The exchanges whose address nobody answered for in time, and those whose conflict is to be written again. */
  finished(now: number): Waiting[] {
    const done: Waiting[] = [];
    for (const [address, open] of this.#open) {
      if (open.deadline > now) continue;
      done.push({ ...open.datagram, conflict: open.isInUse ? address : undefined });
      if (open.isInUse) {
        this.#open.set(address, { ...open, deadline: now + RETRY_MS });
        continue;
      }
      this.#open.delete(address);
      this.#clearUntil.set(address, now + CLEAR_MS);
    }
    if (this.#clearUntil.size > MAX_OPEN) forgetPast(this.#clearUntil, now);
    return done;
  }

  patience(now: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { deadline } of this.#open.values()) least = Math.min(least, Math.max(0, deadline - now));
    return least;
  }
}

function forgetPast(times: Map<number, number>, now: number): void {
  for (const [address, until] of times) if (until <= now) times.delete(address);
}
