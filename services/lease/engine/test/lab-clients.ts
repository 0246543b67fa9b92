import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { formatHex, formatIpv4, readU32, u32Bytes, writeU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { decodeMessage } from "../src/dhcp4/message.ts";
import { packetOf } from "./desk.ts";

export interface Acked {
  readonly mac: string;
  readonly ip: string;
  readonly until: number;
}

const TRIES = 3;

/** Many clients on one socket, each told apart by its transaction. */
export class LabClients {
  readonly acked: Acked[] = [];
  readonly #socket: Socket;
  readonly #port: number;
  readonly #waiting = new Map<
    number,
    (reply: { type: number; ip: number; seconds: number; mac: string }) => void
  >();
  #lastXid = 0;

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.#port = port;
    socket.on("message", (bytes) => {
      const message = decodeMessage(bytes);
      if ("malformed" in message) throw new Error(message.malformed);
      const seconds = message.options.get(CODE.leaseTime);
      const reply = {
        type: message.type,
        ip: message.yiaddr,
        seconds: seconds ? readU32(seconds, 0) : 0,
        mac: formatHex(message.chaddr),
      };
      // Heard is heard: an acknowledgement counts even when nobody waits for it any more.
      if (reply.type === TYPE.ack) {
        const until = Math.floor(Date.now() / 1000) + reply.seconds;
        this.acked.push({ mac: reply.mac, ip: formatIpv4(reply.ip), until });
      }
      this.#waiting.get(message.xid)?.(reply);
    });
  }

  static async open(port: number): Promise<LabClients> {
    const socket = createSocket({ type: "udp4", recvBufferSize: 4 * 1024 * 1024 });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new LabClients(socket, port);
  }

  close(): void {
    this.#socket.close();
  }

  /** One message and its reply, or undefined when none comes in time. */
  ask(type: number, mac: string, options: Array<[number, Uint8Array]>, ciaddr?: string, patience = 2000) {
    const xid = ++this.#lastXid;
    const packet = packetOf(type, { mac, options, ...(ciaddr ? { ciaddr } : {}) });
    writeU32(packet, 4, xid);
    return new Promise<{ type: number; ip: number } | undefined>((resolve) => {
      const timer = setTimeout(() => finish(undefined), patience);
      const finish = (reply: { type: number; ip: number } | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(xid);
        resolve(reply);
      };
      this.#waiting.set(xid, finish);
      this.#socket.send(packet, this.#port, "127.0.0.1", () => {});
    });
  }

  /** As devices ask: again while no reply comes, unless the test says for how long. */
  async askAgain(...[type, mac, options, ciaddr, patience]: Parameters<LabClients["ask"]>) {
    const tries = patience === undefined ? TRIES : 1;
    for (let n = 1; n < tries; n++) {
      const reply = await this.ask(type, mac, options, ciaddr);
      if (reply) return reply;
    }
    return this.ask(type, mac, options, ciaddr, patience);
  }

  /** The four-way exchange; whether it ended with an ACK. */
  async join(mac: string, patience?: number, more: Array<[number, Uint8Array]> = []): Promise<boolean> {
    const offer = await this.askAgain(TYPE.discover, mac, more, undefined, patience);
    if (offer?.type !== TYPE.offer) return false;
    const options: Array<[number, Uint8Array]> = [
      [CODE.requestedAddress, u32Bytes(offer.ip)],
      [CODE.serverIdentifier, u32Bytes(0x7f000001)],
      ...more,
    ];
    return (await this.askAgain(TYPE.request, mac, options, undefined, patience))?.type === TYPE.ack;
  }

  async renew(mac: string, ip: string): Promise<boolean> {
    return (await this.askAgain(TYPE.request, mac, [], ip))?.type === TYPE.ack;
  }

  /**
   * Exchanges of new clients, `rate` begun each second while less than `maxOpen` are under way, until told to stop;
   * answers with how each ended.
   */
  async load(
    rate: number,
    from: number,
    isOver: () => boolean,
    patience?: number,
    maxOpen = Number.POSITIVE_INFINITY,
  ): Promise<boolean[]> {
    const begun: Promise<boolean>[] = [];
    let ended = 0;
    const startedAt = performance.now();
    while (!isOver()) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * rate);
      while (begun.length < due && begun.length - ended < maxOpen) {
        const exchange = this.join(macOf(from + begun.length), patience);
        begun.push(exchange.finally(() => ended++));
      }
      await delay(2);
    }
    return Promise.all(begun);
  }
}

export const macOf = (n: number) =>
  formatHex(Uint8Array.of(2, 0, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255));
