import { ClientWindow } from "./client-window.ts";

/** New leases of one sender and of one port, once half of their network's are given: the rest is for the others. */
const MAX_OF_SENDER = 64;
const MAX_OF_PORT = 1024;
/** When all are given, this part of them is given each minute: who invents clients cannot end them for the whole hour. */
const MINUTE = 60;
const PART_OF_MINUTE = 1 / 60;

/** Where a client that has no lease yet asks from. */
export interface Newcomer {
  /** Its name: its place in the file may be another after a reload. */
  readonly network: string;
  /** A port that a relay tells apart from others of its link. */
  readonly port: string | undefined;
  /** The client's own address on its link. */
  readonly sender: string | undefined;
}

/** With what a batch has decided. */
export interface NewLeases {
  /** Whether half of a network's new leases are given. */
  isShort(network: string): boolean;
  allows(newcomer: Newcomer): boolean;
  spend(newcomer: Newcomer): void;
}

/**
 * How many leases begin on a network within an hour. A pool of IPv6 never runs out, so that a host that invents clients
 * could fill the table and push everything else out of the history.
 */
export class NewLeaseBudget {
  readonly #networks = new ClientWindow<string>();
  readonly #late = new ClientWindow<string>(MINUTE);
  readonly #ports = new ClientWindow<string>();
  readonly #senders = new ClientWindow<string>();

  /** `limit`: of each network; 0: any number. */
  within(batch: { readonly now: number; after(act: () => void): void }, limit: number): NewLeases {
    if (limit === 0) return UNLIMITED;
    const networks = this.#networks.within(batch);
    const late = this.#late.within(batch);
    const ports = this.#ports.within(batch);
    const senders = this.#senders.within(batch);
    const isShort = (network: string) => networks.count(network) >= limit / 2;
    return {
      isShort,
      allows: ({ network, port, sender }) =>
        !isShort(network) ||
        ((networks.count(network) < limit || late.count(network) < limit * PART_OF_MINUTE) &&
          (port === undefined || ports.count(port) < MAX_OF_PORT) &&
          (sender === undefined || senders.count(sender) < MAX_OF_SENDER)),
      spend: ({ network, port, sender }) => {
        if (networks.count(network) >= limit) late.add(network);
        networks.add(network);
        if (port !== undefined) ports.add(port);
        if (sender !== undefined) senders.add(sender);
      },
    };
  }
}

const UNLIMITED: NewLeases = { isShort: () => false, allows: () => true, spend: () => {} };
