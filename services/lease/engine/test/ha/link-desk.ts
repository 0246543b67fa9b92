import type { TestContext } from "node:test";
import { makePinned } from "@frontdesk/kit/certificates";
import type { HaNodes } from "@frontdesk/lease-config/ha-config";
import { freePort } from "@frontdesk/testkit/free-port";
import type { LinkEvent } from "../../src/ha/link.ts";
import { type LinkMemory, newLinkMemory } from "../../src/ha/link-memory.ts";
import { RingPort } from "../../src/ha/link-port.ts";
import { type Credentials, fingerprintOf, type NodeKey } from "../../src/ha/link-sockets.ts";
import { LinkThread } from "../../src/ha/link-thread.ts";
import type { LinkStart } from "../../src/ha/link-worker.ts";
import type { Message } from "../../src/ha/messages.ts";
import type { Role } from "../../src/ha/ownership.ts";

export const newKey = () => makePinned("test", Date.now());

export const credentials = ({ key, cert }: NodeKey, peer: NodeKey): Credentials => ({
  key,
  cert,
  peerFingerprint: fingerprintOf(peer.cert),
});

/** Two addresses of one machine. */
export async function addresses(): Promise<HaNodes> {
  const port = await freePort();
  return { primary: { host: "127.0.0.1", port }, secondary: { host: "127.0.0.2", port } };
}

/** One end of a link: its thread, and the port that a packet thread would have. */
export class LinkEnd {
  readonly memory: LinkMemory = newLinkMemory();
  readonly port = new RingPort(this.memory);
  readonly log: string[] = [];
  readonly #start: LinkStart;
  #thread: LinkThread | undefined;
  #look: () => void = () => {};
  #stopWatching: () => void = () => {};

  constructor(role: Role, own: Credentials, at: HaNodes) {
    this.#start = { role, credentials: own, addresses: at, memory: this.memory, wake: -1 };
  }

  /** Stops with the test. */
  start(t: TestContext): this {
    const tell = (details: object, message: string) => this.log.push(`${message} ${JSON.stringify(details)}`);
    this.#stopWatching = this.port.watch(() => this.#look());
    this.#thread = LinkThread.start(this.#start, { info: tell, warn: tell, error: tell });
    t.after(() => this.stop());
    return this;
  }

  async stop(): Promise<void> {
    this.#stopWatching();
    await this.#thread?.stop();
    this.#thread = undefined;
  }

  hasTold = (what: RegExp) => this.log.some((line) => what.test(line));

  get problem(): string | undefined {
    return this.#thread?.problem;
  }

  /** The next event; it is waited for. */
  async next(): Promise<LinkEvent> {
    for (;;) {
      const event = this.port.take();
      if (event) return event;
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }

  /** The next event of a kind; those before it are dropped. */
  async until<K extends LinkEvent["kind"]>(kind: K): Promise<Extract<LinkEvent, { kind: K }>> {
    for (;;) {
      const event = await this.next();
      if (event.kind === kind) return event as Extract<LinkEvent, { kind: K }>;
    }
  }
}

export async function linkedPair(t: TestContext) {
  const at = await addresses();
  const [a, b] = [await newKey(), await newKey()];
  const primary = new LinkEnd("primary", credentials(a, b), at).start(t);
  const secondary = new LinkEnd("secondary", credentials(b, a), at).start(t);
  return { primary, secondary, at, keys: { a, b } };
}

export const ack = (n: number): Message => ({ type: "ack", n, m: 0 });
