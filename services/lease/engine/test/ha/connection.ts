import type { Message } from "../../src/ha/messages.ts";
import { peerOf, type Role } from "../../src/ha/ownership.ts";
import { decodeFrame, encodeFrame, type Frame } from "../../src/ha/wire.ts";
import type { Random } from "./random.ts";

const LENGTH = 4;

/** One connection between the nodes. What is on its way to a node waits in that node's queue. */
export class Connection {
  readonly id: number;
  readonly inbound: Record<Role, Array<Frame | "closed">> = { primary: [], secondary: [] };
  /** Nothing is delivered to a node before this time. */
  readonly stalledUntil: Record<Role, number> = { primary: 0, secondary: 0 };
  readonly #counters: Record<Role, number> = { primary: 0, secondary: 0 };
  isOpen = true;

  constructor(id: number) {
    this.id = id;
  }

  send(from: Role, message: Message): void {
    if (!this.isOpen) return;
    const counter = this.#counters[from]++;
    const frame = { counter, message };
    // Over the wire and back: what is not written is not known. Beats are many, and all alike.
    const isBeat = message.type === "beat";
    this.inbound[peerOf(from)].push(isBeat ? frame : decodeFrame(encodeFrame(frame).subarray(LENGTH)));
  }

  /** A node closes its end; what it sent before still arrives. */
  close(by: Role): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.inbound[by].length = 0;
    this.inbound[peerOf(by)].push("closed");
  }

  /** The connection breaks somewhere in what is on its way. With `tells`, a node learns of it. */
  cut(random: Random, tells: Readonly<Record<Role, boolean>>): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const role of ["primary", "secondary"] as const) {
      const queue = this.inbound[role];
      queue.length = random.below(queue.length + 1);
      if (tells[role]) queue.push("closed");
    }
  }

  next(to: Role, now: number): Frame | "closed" | undefined {
    return now < this.stalledUntil[to] ? undefined : this.inbound[to].shift();
  }
}
