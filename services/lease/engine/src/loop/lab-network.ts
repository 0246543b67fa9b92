import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { StartProblem } from "@frontdesk/kit/problem";
import type { ListenAddress } from "@frontdesk/lease-config/config";
import { formatIpv4, parseIpv4 } from "@frontdesk/lease-options/address";
import { type Network, type NetworkEvents, TICK_MS } from "./network.ts";
import type { Datagram, Ingress, Outgoing } from "./wire.ts";

/** More than this waiting at once is dropped, as a full socket buffer would be. */
const MAX_WAITING = 8192;

interface LabIngress extends Ingress {
  readonly socket: Socket;
}

/**
 * DHCP on ordinary UDP sockets, which need no rights: for trying things out, for tests and for
 * development. It answers to where a packet came from.
 */
export class LabNetwork implements Network {
  readonly #sockets: Socket[];
  readonly #listen: readonly ListenAddress[];
  readonly #onSendError: (code: string) => void;
  #waiting: Datagram[] = [];
  #scheduled = false;
  #stop = () => {};

  private constructor(
    listen: readonly ListenAddress[],
    sockets: Socket[],
    onSendError: (code: string) => void,
  ) {
    this.#listen = listen;
    this.#sockets = sockets;
    this.#onSendError = onSendError;
  }

  static async open(
    listen: readonly ListenAddress[],
    onSendError: (code: string) => void,
  ): Promise<LabNetwork> {
    const sockets: Socket[] = [];
    for (const { host, port } of listen) {
      const socket = createSocket({ type: "udp4", recvBufferSize: 4 * 1024 * 1024 });
      sockets.push(socket);
      socket.bind({ address: host, port, exclusive: true });
      try {
        await once(socket, "listening");
      } catch (error) {
        for (const each of sockets) each.close();
        const { code } = error as NodeJS.ErrnoException;
        throw new StartProblem(
          `${host}:${port} cannot be listened on (${code}): change [server] listen in the engine's configuration.`,
        );
      }
    }
    return new LabNetwork(listen, sockets, onSendError);
  }

  isOurs = (address: number) => this.#listen.some(({ host }) => parseIpv4(host) === address);

  ownAddresses = () => this.#listen.map(({ host }) => parseIpv4(host) as number);

  towards(): Ingress | undefined {
    return this.#ingress(0, "127.0.0.1", 68);
  }

  /** There is no link to ask on. */
  probe(): void {}

  send(batch: readonly Outgoing[]): void {
    for (const { bytes, destination, ingress } of batch) {
      // The bytes belong to the engine again when this returns; dgram sends later.
      const copy = bytes.slice();
      (ingress as LabIngress).socket.send(
        copy,
        destination.port,
        formatIpv4(destination.address),
        (error) => {
          if (error) this.#onSendError((error as NodeJS.ErrnoException).code ?? "error");
        },
      );
    }
  }

  run(events: NetworkEvents): Promise<void> {
    const flush = () => {
      this.#scheduled = false;
      const round = this.#waiting;
      this.#waiting = [];
      events.packets(round);
    };
    this.#sockets.forEach((socket, i) => {
      socket.on("message", (bytes, { address, port }) => {
        // Nobody can be answered at port 0.
        if (this.#waiting.length >= MAX_WAITING || port === 0) return;
        this.#waiting.push({ bytes, ingress: this.#ingress(i, address, port) });
        if (!this.#scheduled) setImmediate(flush);
        this.#scheduled = true;
      });
      socket.on("error", (error) => this.#onSendError((error as NodeJS.ErrnoException).code ?? "error"));
    });
    const timer = setInterval(() => events.tick(), TICK_MS);
    return new Promise((resolve) => {
      this.#stop = () => {
        clearInterval(timer);
        for (const socket of this.#sockets) socket.close();
        resolve();
      };
    });
  }

  stop(): void {
    this.#stop();
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
