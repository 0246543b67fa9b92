const WINDOW_SECONDS = 3600;
/** What a client that misbehaves can add to the history in an hour. */
const MAX_PER_CLIENT = 60;
/** Refusals of all clients together, a second. */
const MAX_REFUSALS = 100;
/** Clients that are told apart in a window; senders who invent more share what is left. */
const MAX_CLIENTS = 65_536;

/** How much of what happens is written into the history: enough for people, too little to fill a disk. */
export class EventBudget {
  readonly #spent = new Map<number, number>();
  #window = 0;
  #second = 0;
  #refusals = 0;

  allows(client: number, now: number): boolean {
    this.#turn(now);
    return (this.#spent.get(client) ?? 0) < MAX_PER_CLIENT;
  }

  allowsRefusal(client: number, now: number): boolean {
    return this.allows(client, now) && (now !== this.#second || this.#refusals < MAX_REFUSALS);
  }

  /** An event is on disk. */
  spend(client: number, now: number, isRefusal: boolean): void {
    this.#turn(now);
    if (this.#spent.size >= MAX_CLIENTS && !this.#spent.has(client)) this.#spent.clear();
    this.#spent.set(client, (this.#spent.get(client) ?? 0) + 1);
    if (!isRefusal) return;
    if (now !== this.#second) this.#refusals = 0;
    this.#second = now;
    this.#refusals++;
  }

  #turn(now: number): void {
    const window = Math.floor(now / WINDOW_SECONDS);
    if (window !== this.#window) this.#spent.clear();
    this.#window = window;
  }
}
