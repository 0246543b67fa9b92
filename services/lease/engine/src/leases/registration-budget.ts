import { ClientWindow } from "./client-window.ts";
import { type Newcomer, NewLeaseBudget } from "./new-lease-budget.ts";

/** Addresses that one client registers within an hour. */
const MAX_OF_CLIENT = 64;

/** Who registers which address. Both are known by a hash. */
export interface Registrant extends Newcomer {
  readonly client: number;
  /** Of the client with the address. */
  readonly registration: number;
}

/** With what a batch has decided. */
export interface Registrations {
  /** Whether half of what a network may have is registered. */
  isShort(network: string): boolean;
  allows(registrant: Registrant): boolean;
  spend(registrant: Registrant): void;
}

/** How many addresses are registered on a network within an hour; what is registered already costs nothing again. */
export class RegistrationBudget {
  readonly #networks = new NewLeaseBudget();
  readonly #clients = new ClientWindow();
  readonly #known = new ClientWindow();

  /** `limit`: of each network; 0: any number. */
  within(batch: { readonly now: number; after(act: () => void): void }, limit: number): Registrations {
    const networks = this.#networks.within(batch, limit);
    const clients = this.#clients.within(batch);
    const known = this.#known.within(batch);
    return {
      isShort: networks.isShort,
      allows: (registrant) =>
        known.count(registrant.registration) > 0 ||
        (clients.count(registrant.client) < MAX_OF_CLIENT && networks.allows(registrant)),
      spend: (registrant) => {
        if (known.count(registrant.registration) > 0) return;
        known.add(registrant.registration);
        clients.add(registrant.client);
        networks.spend(registrant);
      },
    };
  }
}
