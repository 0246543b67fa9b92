import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { StartProblem } from "@frontdesk/kit/problem";
import type { ListenAddress } from "@frontdesk/lease-config/config";
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from "@frontdesk/lease-options/address";
import { type Network, type NetworkEvents, TICK_MS } from "./network.ts";
import type { AnyDatagram, AnyOutgoing, Ingress, Ingress6 } from "./wire.ts";

/** More than this waiting at once is dropped, as a full socket buffer would be. */
const MAX_WAITING = 8192;

interface LabIngress extends Ingress {
  readonly socket: Socket;
}

interface LabIngress6 extends Ingress6 {
  readonly socket: Socket;
}

/**
 * DHCP on ordinary UDP sockets, which need no rights: for trying things out, for tests and for
 * development. It answers to where a packet came from.
 */
export class LabNetwork implements Network {
  readonly #sockets: Socket[];
  readonly #sockets6: Socket[];
  readonly #listen: readonly ListenAddress[];
  readonly #onSendError: (code: string) => void;
  #waiting: AnyDatagram[] = [];
  #scheduled = false;
  #stop = () => {};

  private constructor(
    listen: readonly ListenAddress[],
    sockets: Socket[],
    sockets6: Socket[],
    onSendError: (code: string) => void,
  ) {
    this.#listen = listen;
    this.#sockets = sockets;
    this.#sockets6 = sockets6;
    this.#onSendError = onSendError;
  }

  static async open(
    listen: readonly ListenAddress[],
    onSendError: (code: string) => void,
    listen6: readonly ListenAddress[] = [],
  ): Promise<LabNetwork> {
    const sockets: Socket[] = [];
    const all = [
      ...listen.map((each) => ({ ...each, type: "udp4", setting: "listen" }) as const),
      ...listen6.map((each) => ({ ...each, type: "udp6", setting: "listen6" }) as const),
    ];
    for (const { host, port, type, setting } of all) {
      const socket = createSocket({ type, recvBufferSize: 4 * 1024 * 1024, ipv6Only: type === "udp6" });
      sockets.push(socket);
      socket.bind({ address: host, port, exclusive: true });
      try {
        await once(socket, "listening");
      } catch (error) {
        for (const each of sockets) each.close();
        const { code } = error as NodeJS.ErrnoException;
        throw new StartProblem(
          `${host}:${port} cannot be listened on (${code}): change [server] ${setting} in the engine's configuration.`,
        );
      }
    }
    const sockets4 = sockets.slice(0, listen.length);
    return new LabNetwork(listen, sockets4, sockets.slice(listen.length), onSendError);
  }

  isOurs = (address: number) => this.#listen.some(({ host }) => parseIpv4(host) === address);

  ownAddresses = () => this.#listen.map(({ host }) => parseIpv4(host) as number);

  towards(): Ingress | undefined {
    return this.#ingress(0, "127.0.0.1", 68);
  }

  through(): Ingress6 | undefined {
    return this.#sockets6.length > 0 ? this.#ingress6(0, "::1", 546) : undefined;
  }

  /** There is no link to ask on. */
  probe(): void {}

  send(batch: readonly AnyOutgoing[]): void {
    for (const each of batch) {
      // The bytes belong to the engine again when this returns; dgram sends later.
      const copy = each.bytes.slice();
      const { socket } = each.ingress as LabIngress | LabIngress6;
      const host =
        each.family === 6 ? formatIpv6(each.destination.address) : formatIpv4(each.destination.address);
      socket.send(copy, each.destination.port, host, (error) => {
        if (error) this.#onSendError((error as NodeJS.ErrnoException).code ?? "error");
      });
    }
  }

  run(events: NetworkEvents): Promise<void> {
    const flush = () => {
      this.#scheduled = false;
      const round = this.#waiting;
      this.#waiting = [];
      events.packets(round);
    };
    const watch = (
      socket: Socket,
      datagram: (bytes: Buffer, address: string, port: number) => AnyDatagram,
    ) => {
      socket.on("message", (bytes, { address, port }) => {
        // Nobody can be answered at port 0.
        if (this.#waiting.length >= MAX_WAITING || port === 0) return;
        this.#waiting.push(datagram(bytes, address, port));
        if (!this.#scheduled) setImmediate(flush);
        this.#scheduled = true;
      });
      socket.on("error", (error) => this.#onSendError((error as NodeJS.ErrnoException).code ?? "error"));
    };
    this.#sockets.forEach((socket, i) => {
      watch(socket, (bytes, address, port) => ({ bytes, ingress: this.#ingress(i, address, port) }));
    });
    this.#sockets6.forEach((socket, i) => {
      watch(socket, (bytes, address, port) => {
        return { family: 6, bytes, ingress: this.#ingress6(i, address, port) };
      });
    });
    const timer = setInterval(() => events.tick(), TICK_MS);
    return new Promise((resolve) => {
      this.#stop = () => {
        clearInterval(timer);
        for (const socket of [...this.#sockets, ...this.#sockets6]) socket.close();
        resolve();
      };
    });
  }

  stop(): void {
    this.#stop();
  }

  #ingress6(socket: number, source: string, port: number): LabIngress6 {
    return {
      interfaceName: "lab",
      addresses: [],
      sourceAddress: parseIpv6(source.split("%")[0] as string) ?? 0n,
      sourcePort: port,
      unicast: true,
      lab: true,
      socket: this.#sockets6[socket] as Socket,
    };
  }

  #ingress(socket: number, source: string, port: number): LabIngress {
    return {
      interfaceName: "lab",
      addresses: [parseIpv4(this.#listen[socket]?.host ?? "") as number],
      sourceAddress: parseIpv4(source) ?? 0,
      sourcePort: port,
      unicast: true,
      lab: true,
      socket: this.#sockets[socket] as Socket,
    };
  }
}
