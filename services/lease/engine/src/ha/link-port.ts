import type { LinkEvent, LinkPort } from "./link.ts";
import { ID, type LinkMemory, RECORD } from "./link-memory.ts";
import type { Message } from "./messages.ts";
import { Malformed } from "./octets.ts";
import { Ring, type RingRecord } from "./ring.ts";
import { decodeFrame, encodeFrame } from "./wire.ts";

/** Of the ring: so much room is left for what cannot be held back. */
const CONGESTED_PART = 2;
/** In an event loop there is always a later moment to look. */
const LOOK_AGAIN_MS = 60_000;

/** The packet thread's end of the link. It never waits: a peer that does not take what it is sent loses the link. */
export class RingPort implements LinkPort {
  readonly #out: Ring;
  readonly #in: Ring;
  readonly #ids: Int32Array;
  #link: { readonly id: number; sent: number } | undefined;
  /** A connection that this end gave up and the core has not heard of. */
  #lost: number | undefined;

  constructor(memory: LinkMemory) {
    this.#out = new Ring(memory.out);
    this.#in = new Ring(memory.in);
    this.#ids = new Int32Array(memory.ids);
  }

  get isCongested(): boolean {
    return this.#out.used > this.#out.capacity / CONGESTED_PART;
  }

  send(id: number, messages: readonly Message[]): void {
    for (const message of messages) {
      const link = this.#link;
      if (link?.id !== id) return;
      const frame = encodeFrame({ counter: link.sent++, message });
      if (!this.#out.write(RECORD.frame, link.id, frame)) this.#giveUp(link.id);
    }
  }

  close(id = this.#link?.id): void {
    if (id === undefined || id !== this.#link?.id) return;
    this.#link = undefined;
    Atomics.store(this.#ids, ID.closed, id);
    Atomics.notify(this.#ids, ID.closed);
  }

  /** What happened next; undefined when nothing did. The thread is woken again only after it has seen that. */
  take(): LinkEvent | undefined {
    for (;;) {
      if (this.#lost !== undefined) {
        const id = this.#lost;
        this.#lost = undefined;
        return { kind: "down", id };
      }
      const record = this.#in.read();
      if (!record) return undefined;
      const event = this.#eventOf(record);
      if (event) return event;
    }
  }

  /** In a thread with an event loop: calls back whenever there is something to take. Answers how to stop. */
  watch(ready: () => void): () => void {
    let isOpen = true;
    const look = async () => {
      while (isOpen) {
        await this.#in.readable(LOOK_AGAIN_MS);
        if (isOpen && this.#in.used > 0) ready();
        await new Promise((resume) => setImmediate(resume));
      }
    };
    void look();
    return () => {
      isOpen = false;
    };
  }

  #eventOf({ kind, link: id, octets }: RingRecord): LinkEvent | undefined {
    if (kind === RECORD.up) {
      this.#link = { id, sent: 0 };
      return { kind: "up", id };
    }
    // Of a connection that was replaced or given up.
    if (id !== this.#link?.id) return undefined;
    if (kind === RECORD.down) {
      this.#link = undefined;
      return { kind: "down", id };
    }
    try {
      return { kind: "message", link: id, ...decodeFrame(octets) };
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.#giveUp(id);
      return undefined;
    }
  }

  #giveUp(id: number): void {
    this.close(id);
    this.#lost = id;
  }
}
