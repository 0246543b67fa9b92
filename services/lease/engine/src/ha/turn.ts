import type { HaState } from "@frontdesk/lease-control-api/ha-states";
import { type Address, FOREVER } from "../leases/binding.ts";
import type { Core, Durable, Link } from "./core-state.ts";
import type { Ledger } from "./ledger.ts";
import { type Hello, MAX_SERVERS, type Message } from "./messages.ts";
import type { Row } from "./row.ts";

/** What one transaction writes of the pair. */
export interface Writes {
  readonly durable: Durable | undefined;
  readonly rows: readonly Row[];
  /** All rows from before are removed first. */
  readonly clears: boolean;
}

export interface Conflict {
  readonly address: Address;
  readonly kept: string;
  readonly lost: string;
}

/** What follows from one input. Nothing of it has happened before `writes` are on disk, except for `send`. */
export interface Outcome {
  /** The node as it is after the commit. */
  readonly core: Core;
  /** May leave at once. */
  readonly send: readonly Message[];
  readonly sendAfterCommit: readonly Message[];
  readonly writes: Writes;
  readonly conflicts: readonly Conflict[];
  /** The connection is to be closed; the secondary dials again. */
  readonly closes: boolean;
  /** Why a command was refused. */
  readonly refusal: string | undefined;
}

const wholeTime = (time: number) => Math.min(Math.ceil(time), FOREVER);

/** An input on its way to its outcome: the core is replaced piece by piece, and what is to be done is collected. */
export class Turn {
  readonly now: number;
  readonly ledger: Ledger;
  core: Core;
  readonly send: Message[] = [];
  readonly sendAfterCommit: Message[] = [];
  readonly rows: Row[] = [];
  readonly conflicts: Conflict[] = [];
  clears = false;
  closes = false;
  owesAck = false;
  refusal: string | undefined;
  readonly #before: Core;

  constructor(core: Core, ledger: Ledger, now: number) {
    this.#before = core;
    this.core = core;
    this.ledger = ledger;
    this.now = now;
  }

  get durable(): Durable {
    return this.core.durable;
  }

  get link(): Link | null {
    return this.core.link;
  }

  change(change: Partial<Core>): void {
    this.core = { ...this.core, ...change };
  }

  /** Changes what is on disk. */
  keep(change: Partial<Durable>): void {
    this.change({ durable: { ...this.durable, ...change } });
  }

  enter(state: HaState): void {
    if (state === this.core.state && state === this.durable.state) return;
    this.keep({ state, since: this.now });
    this.change({ state });
  }

  changeLink(change: Partial<Link>): void {
    if (this.link) this.change({ link: { ...this.link, ...change } });
  }

  /** Times of rows are whole seconds of 32 bits, as leases are kept. */
  put(row: Row): void {
    const [end, promise] = [wholeTime(row.end), wholeTime(row.promise)];
    const whole = end === row.end && promise === row.promise ? row : { ...row, end, promise };
    this.ledger.put(whole);
    this.rows.push(whole);
  }

  nextSeq(): number {
    const lastSeq = this.durable.lastSeq + 1;
    this.keep({ lastSeq });
    return lastSeq;
  }

  clear(): void {
    this.ledger.clear();
    this.clears = true;
    this.rows.length = 0;
  }

  get hello(): Hello {
    const { settings, durable, state, plan, ackedSeq } = this.core;
    const { store, peerStore, epoch, agreed, lastSeq, appliedSeq, eraSeq } = durable;
    const { node, role, mode, identity, lead, skew, servers } = settings;
    return {
      type: "hello",
      version: 1,
      node,
      store,
      peerStore,
      role,
      mode,
      identity,
      epoch,
      holder: durable.ownership.holder,
      agreed,
      lastSeq,
      appliedSeq,
      ackedSeq: eraSeq === null ? ackedSeq : 0,
      restores: eraSeq !== null,
      state,
      lead,
      skew,
      plan: plan.hash,
      clock: this.now,
      servers: servers.slice(0, MAX_SERVERS),
    };
  }

  /** What the peer must know before it gets anything else. */
  sayHello(): void {
    const mine = this.hello;
    this.changeLink({ mine });
    this.sendAfterCommit.push(mine);
  }

  outcome(): Outcome {
    const { send, sendAfterCommit, conflicts, closes, refusal, rows, clears } = this;
    const hasChanged = this.durable !== this.#before.durable || rows.length > 0 || clears;
    if (hasChanged) this.#keepProgress();
    const writes = { durable: hasChanged ? this.durable : undefined, rows, clears };
    this.change({ aliveAt: this.now });
    return { core: this.core, send, sendAfterCommit, writes, conflicts, closes, refusal };
  }

  /** Contact and acknowledgements ride in any commit. */
  #keepProgress(): void {
    const { certainContactAt: contactAt, ackedSeq } = this.core;
    this.keep({ contactAt, ackedSeq });
    this.change({ keptAt: this.now });
  }
}
