import type { Address } from "../leases/binding.ts";
import type { EngineLog } from "./engine.ts";

/** What a configuration would do with an address. */
export interface Uses<A extends Address> {
  isPooled(address: A): boolean;
  isReserved(address: A): boolean;
}

/** The addresses of this engine and of the other one of its pair: no client may have them. */
export class ServerAddresses<A extends Address> {
  readonly #own: () => Iterable<A>;
  readonly #textOf: (address: A) => string;
  readonly #log: EngineLog;
  #peer: ReadonlySet<A> = new Set();
  #withheld: ReadonlySet<A> = new Set();

  constructor(own: () => Iterable<A>, textOf: (address: A) => string, log: EngineLog) {
    this.#own = own;
    this.#textOf = textOf;
    this.#log = log;
  }

  set peer(addresses: readonly A[]) {
    this.#peer = new Set(addresses);
  }

  isPeers(address: A): boolean {
    return this.#peer.has(address);
  }

  /** Those that clients would get by the configuration. */
  get withheld(): ReadonlySet<A> {
    return this.#withheld;
  }

  /** Looks which of them a configuration would give; answers whether they are others than before. */
  withhold({ isPooled, isReserved }: Uses<A>): boolean {
    const own = new Set(this.#own());
    const given = (address: A) => isPooled(address) || isReserved(address);
    const withheld = new Set([...own.union(this.#peer)].filter(given));
    const isChanged = withheld.symmetricDifference(this.#withheld).size > 0;
    this.#withheld = withheld;
    const warn = (addresses: A[], message: string) => {
      if (addresses.length > 0) this.#log.warn({ addresses: addresses.map(this.#textOf) }, message);
    };
    if (!isChanged) return false;
    const pooled = [...withheld].filter(isPooled);
    warn(
      pooled.filter((address) => own.has(address)),
      "a pool contains the engine's own address, which is given to nobody",
    );
    warn(
      pooled.filter((address) => !own.has(address)),
      "a pool contains an address of the other server of the pair, which is given to nobody",
    );
    warn(
      [...withheld].filter(isReserved),
      "an address of a server is reserved for a client, which does not get it",
    );
    return true;
  }
}
