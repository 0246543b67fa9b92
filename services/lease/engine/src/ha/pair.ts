import { type Input, step } from "./core.ts";
import type { Core } from "./core-state.ts";
import type { Ledger } from "./ledger.ts";
import { MAX_SENT_ROWS, type Message } from "./messages.ts";
import type { Outcome, Writes } from "./turn.ts";

/** Rows as they will be, over those that are. */
export interface PendingLedger extends Ledger {
  /** The batch is on disk: what was put becomes so. */
  apply(): void;
}

export interface PairPorts {
  /** Begins a batch. */
  openLedger(): PendingLedger;
  /** Whether all of it is on disk; if not, nothing is. */
  commit(writes: Writes): boolean;
  send(messages: readonly Message[]): void;
  closeLink(): void;
}

/** One node of the pair: the core, and the order of persisting, applying and sending. */
export class Pair {
  readonly #ports: PairPorts;
  #core: Core;

  constructor(core: Core, ports: PairPorts) {
    this.#core = core;
    this.#ports = ports;
  }

  get core(): Core {
    return this.#core;
  }

  /** Answers what came of an input; undefined when it could not be written, and then nothing has happened. */
  run(input: Input): Outcome | undefined {
    const ledger = this.#ports.openLedger();
    const outcome = step({ ...this.#core, room: MAX_SENT_ROWS }, ledger, input);
    if (outcome.send.length > 0) this.#ports.send(outcome.send);
    if (outcome.writes.durable && !this.#ports.commit(outcome.writes)) {
      this.#fail(input.now);
      return undefined;
    }
    this.#core = outcome.core;
    ledger.apply();
    if (outcome.sendAfterCommit.length > 0) this.#ports.send(outcome.sendAfterCommit);
    if (outcome.closes) this.#ports.closeLink();
    return outcome;
  }

  #fail(now: number): void {
    const { core, closes } = step(this.#core, this.#ports.openLedger(), { kind: "commit failed", now });
    this.#core = core;
    if (closes) this.#ports.closeLink();
  }
}
