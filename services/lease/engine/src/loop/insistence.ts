const WINDOW_SECONDS = 30;
const INSISTENT = 3;
const MAX_CLIENTS = 65_536;

/** Clients that ask again and again, because the node that should answer them does not. */
export class Insistence {
  readonly #asked = new Map<string, { readonly since: number; readonly times: number }>();

  /** Counts a message; answers whether it is the third within 30 seconds. */
  asks(client: string, now: number): boolean {
    const known = this.#asked.get(client);
    const isOld = !known || now - known.since > WINDOW_SECONDS;
    const next = isOld ? { since: now, times: 1 } : { ...known, times: known.times + 1 };
    if (!known && this.#asked.size >= MAX_CLIENTS) this.#asked.clear();
    this.#asked.set(client, next);
    return next.times >= INSISTENT;
  }
}
