import { FOREVER, type PairPart } from "./binding.ts";

const SERVERS = [undefined, "primary", "secondary"] as const;
/** Beside the server: `known` is null. */
const UNKNOWN = 4;

/** What one of a pair of servers keeps of each slot beside the lease: 25 octets. */
export class PairColumns {
  #server: Uint8Array;
  #promise: Uint32Array;
  #known: Uint32Array;
  #seq: Float64Array;
  #base: Float64Array;
  /** The few clients that are known to the pair by another name than their identity. */
  readonly #clients = new Map<number, string>();

  constructor(capacity: number) {
    this.#server = new Uint8Array(capacity);
    this.#promise = new Uint32Array(capacity);
    this.#known = new Uint32Array(capacity);
    this.#seq = new Float64Array(capacity);
    this.#base = new Float64Array(capacity);
  }

  get(slot: number): PairPart | undefined {
    const octet = this.#server[slot] as number;
    const server = SERVERS[octet & ~UNKNOWN];
    if (!server) return undefined;
    return {
      server,
      client: this.#clients.get(slot) ?? null,
      promise: this.#promise[slot] as number,
      known: octet & UNKNOWN ? null : (this.#known[slot] as number),
      seq: this.#seq[slot] as number,
      base: this.#base[slot] as number,
    };
  }

  set(slot: number, { server, client, promise, known, seq, base }: PairPart): void {
    this.#server[slot] = SERVERS.indexOf(server) | (known === null ? UNKNOWN : 0);
    this.#promise[slot] = promise;
    this.#known[slot] = known ?? 0;
    this.#seq[slot] = seq;
    this.#base[slot] = base;
    if (client === null) this.#clients.delete(slot);
    else this.#clients.set(slot, client);
  }

  clear(slot: number): void {
    this.#server[slot] = 0;
    this.#clients.delete(slot);
  }

  latestPromise(slots: Iterable<number>): number {
    let latest = 0;
    for (const slot of slots) {
      const promise = this.#promise[slot] as number;
      if (this.#server[slot] !== 0 && promise !== FOREVER && promise > latest) latest = promise;
    }
    return latest;
  }

  /** Whether the peer was promised that a lease has no end. */
  isEndless(slot: number): boolean {
    return this.#server[slot] !== 0 && this.#promise[slot] === FOREVER;
  }

  grow(capacity: number): void {
    const wider = <T extends Uint8Array | Uint32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#server = wider(this.#server, new Uint8Array(capacity));
    this.#promise = wider(this.#promise, new Uint32Array(capacity));
    this.#known = wider(this.#known, new Uint32Array(capacity));
    this.#seq = wider(this.#seq, new Float64Array(capacity));
    this.#base = wider(this.#base, new Float64Array(capacity));
  }
}
