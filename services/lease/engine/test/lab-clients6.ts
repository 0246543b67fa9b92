import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { TYPE6 } from "@frontdesk/lease-options/option6-table";
import { na, packetOf6, pd, type Reply6, replyOf6, type Sent6 } from "./desk6.ts";

/** A lease that a client was told; `until` in seconds. */
export interface Acked6 {
  readonly duid: string;
  /** An address, or a prefix with its length. */
  readonly ip: string;
  readonly until: number;
}

/** The leases that a REPLY gives. */
export const ackedIn = (reply: Reply6, duid: string, now: number): Acked6[] =>
  reply.leases.flatMap(([, ip, valid]) => (valid > 0 ? [{ duid, ip, until: now + valid }] : []));

const LOAD_PATIENCE_MS = 300;

const TRIES = 3;

/** Clients of DHCPv6 on one socket, each told apart by its transaction. */
export class LabClients6 {
  readonly #socket: Socket;
  readonly #port: number;
  readonly #waiting = new Map<number, (reply: Reply6) => void>();
  readonly acked: Acked6[] = [];
  #lastXid = 0;
  #lastClient = 0;

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.#port = port;
    socket.on("message", (bytes) => {
      const reply = replyOf6({ bytes, destination: { address: 0n, port: 0 } });
      this.#waiting.get(reply.packet.message.xid)?.(reply);
    });
  }

  static async open(port: number): Promise<LabClients6> {
    const socket = createSocket({ type: "udp6", recvBufferSize: 4 * 1024 * 1024 });
    socket.bind(0, "::1");
    await once(socket, "listening");
    return new LabClients6(socket, port);
  }

  close(): void {
    this.#socket.close();
  }

  /** One message and its reply, or undefined when none comes in time. */
  ask(type: number, sent: Sent6, patience = 2000): Promise<Reply6 | undefined> {
    const xid = ++this.#lastXid;
    const packet = packetOf6(type, { ...sent, xid });
    return new Promise((resolve) => {
      const finish = (reply: Reply6 | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(xid);
        resolve(reply);
      };
      const timer = setTimeout(() => finish(undefined), patience);
      this.#waiting.set(xid, finish);
      this.#socket.send(packet, this.#port, "::1", () => {});
    });
  }

  /** New clients, so many at a time, each with an address and a prefix, until it is over. */
  async load(atOnce: number, isOver: () => boolean): Promise<void> {
    const clients = async () => {
      while (!isOver()) {
        const client = ++this.#lastClient;
        const octets = [client >> 16, (client >> 8) & 255, client & 255];
        const duid = `00:03:00:01:02:06:06:${octets.map((octet) => octet.toString(16).padStart(2, "0")).join(":")}`;
        const reply = await this.join({ duid, ias: [na(1), pd(2)] }, LOAD_PATIENCE_MS);
        if (reply) this.acked.push(...ackedIn(reply, duid, Math.floor(Date.now() / 1000)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, clients));
  }

  /** As devices ask: again while no reply comes, unless the test says for how long. */
  async #askAgain(type: number, sent: Sent6, patience?: number): Promise<Reply6 | undefined> {
    const tries = patience === undefined ? TRIES : 1;
    for (let n = 1; n < tries; n++) {
      const reply = await this.ask(type, sent);
      if (reply) return reply;
    }
    return this.ask(type, sent, patience);
  }

  /** The four-way exchange; the REPLY, or undefined. */
  async join(sent: Sent6, patience?: number): Promise<Reply6 | undefined> {
    const advertise = await this.#askAgain(TYPE6.solicit, sent, patience);
    const server = advertise?.packet.message.options.find(({ code }) => code === 2)?.value;
    if (!advertise || !server) return undefined;
    const ias = advertise.ias.map(({ type, iaid, leases }) => ({ type, iaid, leases }));
    return this.#askAgain(TYPE6.request, { ...sent, server, ias }, patience);
  }
}
