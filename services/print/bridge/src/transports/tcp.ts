import { connect, type Socket } from "node:net";
import type { Channel, OpenChannel } from "../domain/channel.ts";
import { BridgeError } from "../domain/errors.ts";

export interface TcpOptions {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
  /** How long a device may take to hang up after it was told that nothing more comes. */
  readonly endMs: number;
}

/** A raw TCP port, 9100 by custom. */
export function tcpTransport(options: TcpOptions): OpenChannel {
  const where = `${options.host}:${options.port}`;
  return () =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: options.host, port: options.port, noDelay: true, allowHalfOpen: true });
      const timer = setTimeout(() => {
        socket.destroy();
        reject(
          new BridgeError(
            "TRANSPORT_TIMEOUT",
            `The printer at ${where} did not take the connection in time.`,
          ),
        );
      }, options.connectMs);
      socket.once("connect", () => {
        clearTimeout(timer);
        socket.removeAllListeners("error");
        resolve(socketChannel(socket, options.endMs));
      });
      socket.once("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(
          new BridgeError("PRINTER_OFFLINE", `The printer at ${where} does not answer (${error.code}).`),
        );
      });
    });
}

export function socketChannel(socket: Socket, endMs: number): Channel {
  const endings: Array<() => void> = [];
  let failure: Error | undefined;
  let over = false;
  let ending = false;
  const finish = () => {
    if (over) return;
    over = true;
    for (const tell of endings.splice(0)) tell();
  };
  socket.setKeepAlive(true, 10_000);
  socket.on("error", (error) => {
    failure = error;
  });
  socket.on("close", finish);
  // A device that hangs up first takes nothing more, even where half of the line is still open.
  socket.on("end", () => {
    if (!ending) socket.destroy();
    finish();
  });
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (over) return reject(failure ?? new Error("the line is closed"));
        const broke = () => reject(failure ?? new Error("the line is closed"));
        endings.push(broke);
        socket.write(bytes, (error) => {
          const at = endings.indexOf(broke);
          if (at >= 0) endings.splice(at, 1);
          if (error) reject(error);
          else resolve();
        });
      }),
    end: () =>
      new Promise((resolve, reject) => {
        if (socket.destroyed)
          return failure || !ending ? reject(failure ?? new Error("the line is closed")) : resolve();
        ending = true;
        // Some devices never hang up: all bytes were taken and no complaint came, so the line is let go.
        const timer = setTimeout(() => socket.destroy(), endMs);
        socket.once("end", () => socket.destroy());
        socket.once("close", () => {
          clearTimeout(timer);
          if (failure) reject(failure);
          else resolve();
        });
        socket.end();
      }),
    destroy: () => socket.destroy(),
    get broken() {
      return over || socket.destroyed;
    },
    onData: (listen) => void socket.on("data", listen),
    onEnd: (listen) => void (over ? listen() : endings.push(listen)),
  };
}
