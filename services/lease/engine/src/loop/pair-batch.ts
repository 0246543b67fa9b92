import { sameBytes } from "@frontdesk/lease-options/address";
import { AddressMap, AddressSet } from "@frontdesk/lease-options/address-map";
import type { Change } from "../ha/changes.ts";
import { type Input, step } from "../ha/core.ts";
import type { Core } from "../ha/core-state.ts";
import { answerText, noAddressText } from "../ha/explain.ts";
import type { Failover, Question } from "../ha/failover.ts";
import { MAX_SENT_ROWS, type Message } from "../ha/messages.ts";
import { nextOwned, ownerOf } from "../ha/ownership.ts";
import type { PairMoment } from "../ha/pair-time.ts";
import {
  type Asked,
  answers,
  type Binding,
  hearsRenewals,
  latestEnd,
  longestLength,
  mayBind,
  mayGiveBack,
  mayKeep,
  mayNak,
} from "../ha/rights.ts";
import { isEnded, type Row } from "../ha/row.ts";
import type { Conflict, Outcome } from "../ha/turn.ts";
import { type Address, FOREVER, STATE, timeIn } from "../leases/binding.ts";
import { placementHash } from "../leases/identity-index.ts";
import { nameOf, type PairLedger } from "./pair-ledger.ts";

/** What is to be done with the link once the batch is on disk, in this order. */
export type LinkAct =
  | { readonly link: number; readonly send: readonly Message[] }
  | { readonly link: number | undefined; readonly send: undefined };

/** The pair within one batch: the core as it will be, the rights that follow from it, and what was decided. */
export class PairBatch implements Failover {
  readonly isPaired = true;
  readonly ledger: PairLedger;
  readonly acts: LinkAct[] = [];
  readonly conflicts: Conflict[] = [];
  /** Leases that were given for a shorter time than without a peer. */
  shortened = 0;
  /** Rows that came from the peer. */
  received = 0;
  hasRefused = false;
  core: Core;
  readonly now: number;
  readonly #engine: number;
  readonly #shift: number;
  readonly #isInsistent: (identity: Uint8Array) => boolean;
  readonly #changes: Change[] = [];
  #hasHeardOfPeer = false;
  readonly #unchanged = new AddressSet<Address>();
  /** Addresses of which this batch has decided something, and what their clients were told. */
  readonly #decided = new AddressMap<Address, { readonly client: string; readonly told: number }>();

  constructor(
    core: Core,
    ledger: PairLedger,
    { now, engine, shift }: PairMoment,
    isInsistent: (identity: Uint8Array) => boolean,
  ) {
    this.core = { ...core, room: MAX_SENT_ROWS };
    this.ledger = ledger;
    this.now = now;
    this.#engine = engine;
    this.#shift = shift;
    this.#isInsistent = isInsistent;
  }

  get isNormal(): boolean {
    return this.core.state === "normal";
  }

  step(input: Input): Outcome {
    const before = this.core.link?.id;
    const outcome = step(this.core, this.ledger, input);
    this.core = outcome.core;
    const link = outcome.core.link?.id ?? before;
    const messages = [...outcome.send, ...outcome.sendAfterCommit];
    if (link !== undefined && messages.length > 0) this.acts.push({ link, send: messages });
    if (outcome.closes) this.acts.push({ link, send: undefined });
    this.conflicts.push(...outcome.conflicts);
    return outcome;
  }

  /** What the batch has decided gets its numbers, and is handed to the link in one piece. */
  close(): void {
    if (this.hasRefused) this.step({ kind: "refused a client", now: this.now });
    if (this.#hasHeardOfPeer) this.step({ kind: "sign of life", now: this.now });
    if (this.#changes.length === 0) return;
    this.ledger.isOwn = true;
    this.step({ kind: "change", now: this.now, changes: this.#changes });
    this.ledger.isOwn = false;
  }

  mayBind(address: Address, identity: Uint8Array, isReserved: boolean): Binding {
    const row = this.ledger.find(address);
    const client = this.#nameOf(row, address, identity, isReserved);
    const decided = this.#decided.get(address);
    // Until it is on disk and acknowledged, it is its client's alone; what was given back in this batch is nobody's.
    if (decided) return decided.client === client && decided.told > 0 ? "yes" : "no";
    if (row?.state === STATE.bound && row.client === client) return "yes";
    return mayBind(this.core, this.ledger, address, client, this.now);
  }

  mayKeep(address: Address): boolean {
    return mayKeep(this.core, address);
  }

  longestLength(address: Address): number {
    return longestLength(this.core, address);
  }

  latestEnd(address: Address, identity: Uint8Array, isReserved: boolean): number {
    const row = this.ledger.find(address);
    const client = this.#nameOf(row, address, identity, isReserved);
    const decided = this.#decided.get(address);
    const end = latestEnd(this.core, row, client, this.now);
    const latest = end >= FOREVER ? FOREVER : Math.floor(end - this.now + this.#engine);
    // What is imported may run longer than the peer knows.
    return decided?.client === client ? Math.min(timeIn(decided.told, this.#shift), latest) : latest;
  }

  hearsRenewals(address: Address): boolean {
    const row = this.ledger.find(address);
    return row !== undefined && hearsRenewals(this.core, row, this.now);
  }

  mayGiveBack(address: Address, identity: Uint8Array): boolean {
    const row = this.ledger.find(address);
    if (!row || this.#decided.has(address)) return false;
    const client = this.#nameOf(row, address, identity, false);
    return mayGiveBack(this.core, row, client, this.now);
  }

  answers(question: Question): boolean {
    return answers(this.core, this.#askedBy(question), this.now);
  }

  explainAnswer(question: Question): string {
    return answerText(this.core, this.#askedBy(question), this.now);
  }

  explainNoAddress(): string {
    return noAddressText(this.core, this.now);
  }

  #askedBy({ isRenewal, names, identity, last }: Question): Asked {
    const owner = last === undefined ? undefined : ownerOf(this.core.durable.ownership, last).owner;
    return {
      isRenewal,
      names,
      hash: placementHash(identity),
      owner: owner && (owner === this.core.settings.role ? "own" : "peer"),
      isInsistent: names === undefined && this.#isInsistent(identity),
    };
  }

  mayNak(address: Address): boolean {
    return mayNak(this.core, address);
  }

  mayForget(address: Address): boolean {
    const row = this.ledger.find(address);
    return row === undefined || (isEnded(row) && row.seq <= this.core.ackedSeq);
  }

  nextOwn<A extends Address>(address: A, last: A): { readonly first: A; readonly last: A } | undefined {
    const { durable, settings } = this.core;
    return nextOwned(durable.ownership, settings.role, address, last);
  }

  bound(
    address: Address,
    identity: Uint8Array,
    isReserved: boolean,
    until: number,
    { wanted, isUnchanged }: { readonly wanted: number; readonly isUnchanged: boolean },
  ): void {
    const row = this.ledger.find(address);
    const told = timeIn(until, -this.#shift);
    const client = this.#nameOf(row, address, identity, isReserved);
    const { ackedSeq, durable } = this.core;
    const isKnown = row?.state === STATE.bound && row.client === client && row.seq <= ackedSeq;
    if (isUnchanged && isKnown && durable.eraSeq === null) this.#unchanged.add(address);
    else this.#unchanged.delete(address);
    this.#changes.push({ kind: "bind", address, client, told, wanted });
    this.#decided.set(address, { client, told });
    if (wanted > told - Math.floor(this.now)) this.shortened++;
  }

  /** Whether the peer has all that is kept of a lease but its times. */
  isUnchanged(address: Address): boolean {
    return this.#unchanged.has(address);
  }

  released(address: Address): void {
    this.#unchanged.delete(address);
    this.#changes.push({ kind: "release", address });
    this.#decided.set(address, { client: this.ledger.find(address)?.client ?? "", told: 0 });
  }

  declined(address: Address, until: number): void {
    this.#unchanged.delete(address);
    this.#changes.push({ kind: "decline", address, until: timeIn(until, -this.#shift) });
    this.#decided.set(address, { client: "", told: 0 });
  }

  heardOf(server: string): void {
    this.#hasHeardOfPeer ||= this.core.durable.peerServers.includes(server);
  }

  refused(): void {
    this.hasRefused = true;
  }

  get savepoint(): number {
    return this.#changes.length;
  }

  /** What was decided after a savepoint has not been. Addresses that it touched rest until the batch is over. */
  rollBackTo(savepoint: number): void {
    this.#changes.length = savepoint;
  }

  /**
   * Devices that match one reservation are one client. What a client holds it goes on with under the name by which it
   * was given.
   */
  #nameOf(row: Row | undefined, address: Address, identity: Uint8Array, isReserved: boolean): string {
    if (row?.state === STATE.bound && sameBytes(this.ledger.holderOf(address) ?? identity, identity)) {
      return row.client;
    }
    const reserved = isReserved ? this.core.plan.reserved.get(address) : undefined;
    return reserved ?? nameOf(identity);
  }
}
