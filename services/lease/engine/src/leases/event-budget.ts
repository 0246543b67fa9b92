import { ClientWindow } from "./client-window.ts";

/** What a client that misbehaves can add to the history in an hour. */
const MAX_PER_CLIENT = 60;
/** The same of one that is new itself, while so many are on its network that they may be invented. */
const MAX_PER_NEW_CLIENT = 4;
/** Refusals of all clients together, a second and an hour. */
const MAX_REFUSALS = 100;
const MAX_REFUSALS_PER_HOUR = 10_000;
const ALL_CLIENTS = 0;
/** Refusals of relays that are not trusted, an hour: of one relay, and of all together, which anybody can invent. */
const MAX_PER_RELAY = 10;
const MAX_OF_RELAYS = 1000;
const ALL_RELAYS = 0;
/**
 * Grants within an hour on a network with fewer addresses than this; on a larger one, as many as it has addresses.
 * Each is told, for the history must say who held an address; so beyond this, leases are made to last.
 */
const MAX_GRANTS_PER_HOUR = 1000;
/** So often a reserved address goes from one client to another within an hour; each time is told. */
const MAX_TAKEOVERS_PER_HOUR = 1000;

/** How much of what happens is written into the history: enough for people, too little to fill a disk. */
export class EventBudget {
  readonly #spent = new ClientWindow();
  readonly #refusals = new ClientWindow();
  readonly #grants = new ClientWindow<string>();
  readonly #takeovers = new ClientWindow();
  readonly #relays = new ClientWindow();
  #second = 0;
  #refusalsOfSecond = 0;

  allows(client: number, now: number, amongNew = false): boolean {
    return this.#spent.count(client, now) < (amongNew ? MAX_PER_NEW_CLIENT : MAX_PER_CLIENT);
  }

  allowsRefusal(client: number, now: number): boolean {
    return (
      this.allows(client, now) &&
      this.#refusals.count(ALL_CLIENTS, now) < MAX_REFUSALS_PER_HOUR &&
      (now !== this.#second || this.#refusalsOfSecond < MAX_REFUSALS)
    );
  }

  allowsRelayRefusal(relay: number, now: number): boolean {
    return (
      this.#relays.count(relay, now) < MAX_PER_RELAY && this.#relays.count(ALL_RELAYS, now) < MAX_OF_RELAYS
    );
  }

  /**
   * Whether so many leases begin on a network of so many addresses that, were they short, they would push everything
   * else out of the history.
   */
  isChurning(network: string, addresses: number, now: number): boolean {
    return this.#grants.count(network, now) >= Math.max(MAX_GRANTS_PER_HOUR, addresses);
  }

  /** Whether a reserved address went from one client to another so often that who has it keeps it while it renews. */
  isContested(address: number, now: number): boolean {
    return this.#takeovers.count(address, now) >= MAX_TAKEOVERS_PER_HOUR;
  }

  spendTakeover(address: number, now: number): void {
    this.#takeovers.add(address, now);
  }

  /** An event is on disk. */
  spend(client: number, now: number, isRefusal: boolean): void {
    this.#spent.add(client, now);
    if (!isRefusal) return;
    this.#refusals.add(ALL_CLIENTS, now);
    if (now !== this.#second) this.#refusalsOfSecond = 0;
    this.#second = now;
    this.#refusalsOfSecond++;
  }

  spendRelayRefusal(relay: number, now: number): void {
    this.#relays.add(relay, now);
    this.#relays.add(ALL_RELAYS, now);
  }

  spendGrant(network: string, now: number): void {
    this.#grants.add(network, now);
  }
}
