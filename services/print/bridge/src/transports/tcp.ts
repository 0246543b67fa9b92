import { connect, type Socket } from "node:net";
import type { Connect, Connection, Ending } from "../domain/connection.ts";
import { BridgeError } from "../domain/errors.ts";
import { unacknowledgedBytes } from "./tcp-acknowledged.ts";

export interface TcpOptions {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
  /** How long a device may take to hang up after it was told that nothing more comes. */
  readonly hangUpMs: number;
}

/** What a person can do about it. Pages are told it too: without the address, which is the administrator's alone. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "A device is there, but nothing takes print jobs on this port; check the port",
  ENOTFOUND: "No device of this name is known; check the name",
  EAI_AGAIN: "The name cannot be looked up at the moment; check the network",
  EHOSTUNREACH: "No device answers at this address; check that it is switched on and connected",
  ENETUNREACH: "This machine has no way to this network; check the address",
  ETIMEDOUT: "No device answers at this address in time; check that it is switched on and connected",
};

/** How often a device that does not hang up is asked after, once its time is over. */
const ASK_MS = 1_000;
/** How often one that has hung up is asked whether it has acknowledged everything. */
const CONFIRM_MS = 50;

/** A raw TCP port, 9100 by custom. */
export function tcpTransport(options: TcpOptions): Connect {
  const offline = (why: string) =>
    new BridgeError("PRINTER_OFFLINE", `${REASONS[why] ?? `The printer does not answer (${why})`}.`);
  return () =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: options.host, port: options.port, noDelay: true, allowHalfOpen: true });
      const timer = setTimeout(() => {
        socket.destroy();
        reject(offline("ETIMEDOUT"));
      }, options.connectMs);
      socket.once("connect", () => {
        clearTimeout(timer);
        socket.removeAllListeners("error");
        resolve(socketConnection(socket, options.hangUpMs));
      });
      socket.once("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(offline(error.code ?? error.message));
      });
    });
}

export function socketConnection(socket: Socket, hangUpMs: number): Connection {
  const endings: Array<() => void> = [];
  let failure: Error | undefined;
  let over = false;
  let written = 0;
  let ending: Promise<Ending> | undefined;
  const finish = () => {
    if (over) return;
    over = true;
    for (const tell of endings.splice(0)) tell();
  };
  const broken = () => failure ?? new Error("the connection is closed");
  socket.setKeepAlive(true, 10_000);
  socket.on("error", (error) => {
    failure = error;
  });
  socket.on("close", finish);
  // A device that hangs up first takes nothing more, even where half of the connection is still open and it reads on:
  // what is on its way must not come out after the job was given up.
  socket.on("end", () => {
    if (!ending) socket.resetAndDestroy();
    finish();
  });

  async function hasTakenAll(): Promise<boolean | undefined> {
    if (socket.writableLength > 0) return false;
    const unacknowledged = await unacknowledgedBytes(socket);
    // The end of the stream is counted as one byte.
    return unacknowledged === undefined ? undefined : unacknowledged <= (ending ? 1 : 0);
  }

  function end(): Promise<Ending> {
    return new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(broken());
      let hungUp = false;
      let timer = setTimeout(ask, hangUpMs);
      // Some devices never hang up: what they have acknowledged, they have.
      async function ask(): Promise<void> {
        const taken = await hasTakenAll();
        if (taken === false && !hungUp) {
          timer = setTimeout(ask, ASK_MS);
          return;
        }
        if (taken) resolve(hungUp ? "closed" : "acknowledged");
        else reject(new Error(`the device ${hungUp ? "hung up early" : "keeps the connection open"}`));
        socket.destroy();
      }
      // One that says goodbye may still be reading; what it has not acknowledged by the end of its time, it
      // never took.
      async function confirm(): Promise<void> {
        hungUp = true;
        while ((await hasTakenAll()) === false) {
          if (socket.destroyed) return;
          await new Promise((resolve) => setTimeout(resolve, CONFIRM_MS));
        }
        resolve("closed");
        socket.destroy();
      }
      socket.once("end", () => void confirm());
      socket.once("close", () => {
        clearTimeout(timer);
        reject(broken());
      });
      socket.end();
    });
  }

  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (over) return reject(broken());
        const broke = () => reject(broken());
        endings.push(broke);
        socket.write(bytes, (error) => {
          const at = endings.indexOf(broke);
          if (at >= 0) endings.splice(at, 1);
          if (error) return reject(error);
          written += bytes.length;
          resolve();
        });
      }),
    hasTakenAll,
    // The system asks for more only when much of what it holds has left: what it holds tells earlier.
    progress: async () => `${written} ${await unacknowledgedBytes(socket)}`,
    end: () => {
      ending ??= end();
      return ending;
    },
    destroy: () => socket.destroy(),
    get broken() {
      return over || socket.destroyed;
    },
    onData: (listen) => void socket.on("data", listen),
    onEnd: (listen) => void (over ? listen() : endings.push(listen)),
  };
}
