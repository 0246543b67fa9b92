import type { TLSSocket } from "node:tls";
import { FrameSplitter } from "./frame-splitter.ts";
import { ID, type LinkMemory, RECORD } from "./link-memory.ts";
import { Malformed } from "./octets.ts";
import { changed, Ring } from "./ring.ts";

/** Small frames leave together. */
const MAX_WRITE_OCTETS = 64 * 1024;
const LOOK_AGAIN_MS = 60_000;
/** How long a connection that is given up may take to send the rest. */
const LINGER_MS = 2000;
const GIVEN_UP = "given up by this engine";

export interface LinkConnection {
  readonly peer: string;
  /** Why it ended. */
  readonly why: string;
}

interface Current {
  readonly id: number;
  readonly socket: TLSSocket;
  readonly peer: string;
  why: string;
  /** The packet thread has given it up: it ends when what was sent before has left, or soon. */
  isClosing: boolean;
}

/**
 * Joins the connection to the peer with the rings of the packet thread. There is one at a time: a new one replaces the
 * old. Memory is bounded: nothing is read from the peer while the packet thread has no room for it, and nothing from the
 * packet thread while the peer takes nothing.
 */
export class LinkConnections {
  readonly #out: Ring;
  readonly #in: Ring;
  readonly #ids: Int32Array;
  readonly #events: { wake(): void; lost(connection: LinkConnection): void };
  #current: Current | undefined;
  #isOpen = true;
  /** What happens to the ring of incoming records happens in order, and each may have to wait for room. */
  #incoming: Promise<void> = Promise.resolve();

  constructor(memory: LinkMemory, events: { wake(): void; lost(connection: LinkConnection): void }) {
    this.#out = new Ring(memory.out);
    this.#in = new Ring(memory.in);
    this.#ids = new Int32Array(memory.ids);
    this.#events = events;
    // Of a thread that failed before it could tell.
    this.#tell(RECORD.down, Atomics.load(this.#ids, ID.made));
    void this.#sendAll();
    void this.#obeyClosing();
  }

  add(socket: TLSSocket): void {
    this.#end("replaced by a new connection");
    const id = Atomics.add(this.#ids, ID.made, 1) + 1;
    const current: Current = {
      id,
      socket,
      peer: `${socket.remoteAddress}`,
      why: "the peer closed it",
      isClosing: false,
    };
    this.#current = current;
    this.#tell(RECORD.up, id);
    const splitter = new FrameSplitter();
    socket.on("data", (octets: Buffer) => {
      if (this.#current !== current) return;
      try {
        const frames = splitter.push(octets);
        if (frames.length > 0) this.#receive(current, frames);
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        this.#end(error.message);
      }
    });
    socket.on("error", ({ message }) => {
      current.why = message;
    });
    socket.once("close", () => {
      if (this.#current === current) this.#end(current.why);
    });
    // The other end has said all that it will say.
    socket.once("end", () => socket.destroy());
  }

  close(): void {
    this.#end("this engine stops");
    this.#isOpen = false;
  }

  #end(why: string): void {
    const current = this.#current;
    if (!current) return;
    this.#current = undefined;
    current.socket.destroySoon();
    setTimeout(() => current.socket.destroy(), LINGER_MS).unref();
    this.#tell(RECORD.down, current.id);
    this.#events.lost({ peer: current.peer, why });
  }

  #receive(current: Current, frames: readonly Uint8Array[]): void {
    current.socket.pause();
    for (const frame of frames) this.#tell(RECORD.frame, current.id, frame);
    this.#incoming = this.#incoming.then(() => {
      current.socket.resume();
    });
  }

  /** The packet thread hears of it as soon as it has room. */
  #tell(kind: number, id: number, octets?: Uint8Array): void {
    this.#incoming = this.#incoming.then(async () => {
      while (!this.#in.write(kind, id, octets)) {
        this.#events.wake();
        await this.#in.drained(LOOK_AGAIN_MS);
      }
      if (this.#in.hadReadAllBefore(octets?.length ?? 0)) this.#events.wake();
    });
  }

  /** What the packet thread sends, in its order, as fast as the peer takes it. */
  async #sendAll(): Promise<void> {
    while (this.#isOpen) {
      await this.#out.readable(LOOK_AGAIN_MS);
      const { current, octets } = this.#gather();
      if (!current || octets.length === 0) continue;
      if (!current.socket.write(octets)) await drainedOrClosed(current.socket);
      this.#endIfSent(current);
    }
  }

  /** Frames that wait for the connection; those of earlier ones are dropped. */
  #gather(): { current: Current | undefined; octets: Uint8Array } {
    const current = this.#current;
    const frames: Uint8Array[] = [];
    let size = 0;
    while (size < MAX_WRITE_OCTETS) {
      const record = this.#out.read();
      if (!record) break;
      if (record.link !== current?.id) continue;
      frames.push(record.octets);
      size += record.octets.length;
    }
    return { current, octets: Buffer.concat(frames) };
  }

  #giveUp(current: Current): void {
    current.isClosing = true;
    this.#endIfSent(current);
    setTimeout(() => {
      if (this.#current === current) this.#end(GIVEN_UP);
    }, LINGER_MS).unref();
  }

  #endIfSent(current: Current): void {
    if (this.#current === current && current.isClosing && this.#out.used === 0) this.#end(GIVEN_UP);
  }

  async #obeyClosing(): Promise<void> {
    while (this.#isOpen) {
      const closed = Atomics.load(this.#ids, ID.closed);
      if (this.#current && this.#current.id <= closed) this.#giveUp(this.#current);
      await changed(this.#ids, ID.closed, closed, LOOK_AGAIN_MS);
    }
  }
}

function drainedOrClosed(socket: TLSSocket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
  });
}
