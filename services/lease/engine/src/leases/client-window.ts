const HOUR = 3600;
/** Clients that are told apart in a window; senders who invent more share what is left. */
const MAX_CLIENTS = 65_536;

/** How often each client has done something within the hour, or less. Clients are known by a hash, places by their name. */
export class ClientWindow<Key = number> {
  readonly #times = new Map<Key, number>();
  readonly #seconds: number;
  #window = 0;

  constructor(seconds = HOUR) {
    this.#seconds = seconds;
  }

  count(client: Key, now: number): number {
    this.#turn(now);
    return this.#times.get(client) ?? 0;
  }

  add(client: Key, now: number): void {
    this.#turn(now);
    if (this.#times.size >= MAX_CLIENTS && !this.#times.has(client)) this.#times.clear();
    this.#times.set(client, (this.#times.get(client) ?? 0) + 1);
  }

  /** The same with what a batch has decided, which counts for good when it is on disk. */
  within(batch: { readonly now: number; after(act: () => void): void }): {
    count(client: Key): number;
    add(client: Key): void;
  } {
    const here = new Map<Key, number>();
    return {
      count: (client) => (here.get(client) ?? 0) + this.count(client, batch.now),
      add: (client) => {
        here.set(client, (here.get(client) ?? 0) + 1);
        batch.after(() => this.add(client, batch.now));
      },
    };
  }

  #turn(now: number): void {
    const window = Math.floor(now / this.#seconds);
    if (window !== this.#window) this.#times.clear();
    this.#window = window;
  }
}
