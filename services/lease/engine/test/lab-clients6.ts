import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { TYPE6 } from "@frontdesk/lease-options/option6-table";
import { packetOf6, type Reply6, replyOf6, type Sent6 } from "./desk6.ts";

/** Clients of DHCPv6 on one socket, each told apart by its transaction. */
export class LabClients6 {
  readonly #socket: Socket;
  readonly #port: number;
  readonly #waiting = new Map<number, (reply: Reply6) => void>();
  #lastXid = 0;

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

  /** The four-way exchange; the REPLY, or undefined. */
  async join(sent: Sent6): Promise<Reply6 | undefined> {
    const advertise = await this.ask(TYPE6.solicit, sent);
    const server = advertise?.packet.message.options.find(({ code }) => code === 2)?.value;
    if (!advertise || !server) return undefined;
    const ias = advertise.ias.map(({ type, iaid, leases }) => ({ type, iaid, leases }));
    return this.ask(TYPE6.request, { ...sent, server, ias });
  }
}
