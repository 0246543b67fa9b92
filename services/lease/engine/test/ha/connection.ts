import type { Message } from "../../src/ha/messages.ts";
import { peerOf, type Role } from "../../src/ha/ownership.ts";
import type { Random } from "./random.ts";

export interface Frame {
  readonly counter: number;
  readonly message: Message;
}

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
    this.inbound[peerOf(from)].push({ counter, message });
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
