import { ClientWindow } from "./client-window.ts";

/** What a client that misbehaves can add to the history in an hour. */
const MAX_PER_CLIENT = 60;
/** Refusals of all clients together, a second. */
const MAX_REFUSALS = 100;

/** How much of what happens is written into the history: enough for people, too little to fill a disk. */
export class EventBudget {
  readonly #spent = new ClientWindow();
  #second = 0;
  #refusals = 0;

  allows(client: number, now: number): boolean {
    return this.#spent.count(client, now) < MAX_PER_CLIENT;
  }

  allowsRefusal(client: number, now: number): boolean {
    return this.allows(client, now) && (now !== this.#second || this.#refusals < MAX_REFUSALS);
  }

  /** An event is on disk. */
  spend(client: number, now: number, isRefusal: boolean): void {
    this.#spent.add(client, now);
    if (!isRefusal) return;
    if (now !== this.#second) this.#refusals = 0;
    this.#second = now;
    this.#refusals++;
  }
}
