import { createServer, type Server, type Socket } from "node:net";
import type { SimulatedPrinter } from "./printer.ts";

/** What can be wrong with the cable. */
export interface LinkFaults {
  /** Cut every connection once the printer has taken this many bytes, all connections counted. */
  dropAtByte?: number;
  /** Take at most this many bytes at a time, waiting for `slowTurn` before each. */
  chunk?: number;
  slowTurn?: () => Promise<void>;
  /** Accept connections and bytes and answer nothing. */
  deaf?: boolean;
}

export interface PrinterListener {
  readonly port: number;
  readonly host: string;
  readonly received: { bytes: number; connections: number };
  readonly faults: LinkFaults;
  stop(): Promise<void>;
}

export interface ListenerOptions {
  readonly host?: string;
  readonly port?: number;
  readonly faults?: LinkFaults;
  readonly onConnection?: () => void;
  /** Called after each piece is taken, with the number of bytes taken in all. */
  readonly onBytes?: (total: number) => void;
}

/** Puts a simulated printer on a TCP port, as a print server card would. */
export async function listen(
  printer: SimulatedPrinter,
  options: ListenerOptions = {},
): Promise<PrinterListener> {
  const faults: LinkFaults = { ...options.faults };
  const received = { bytes: 0, connections: 0 };
  const sockets = new Set<Socket>();

  async function serve(socket: Socket): Promise<void> {
    received.connections++;
    sockets.add(socket);
    options.onConnection?.();
    const connection = printer.open((text) => {
      if (!faults.deaf && socket.writable) socket.write(text, "latin1");
    });
    try {
      for await (const piece of socket as AsyncIterable<Buffer>) {
        for (const part of cut(piece, faults.chunk)) {
          if (faults.slowTurn) await faults.slowTurn();
          const left =
            faults.dropAtByte === undefined ? Number.POSITIVE_INFINITY : faults.dropAtByte - received.bytes;
          const taken = part.subarray(0, Math.max(0, left));
          received.bytes += taken.length;
          if (!faults.deaf) connection.feed(taken);
          options.onBytes?.(received.bytes);
          if (part.length >= left) {
            delete faults.dropAtByte;
            return;
          }
        }
      }
    } catch {
      // The other side went away in the middle: the printer keeps what it has.
    } finally {
      connection.close();
      sockets.delete(socket);
      socket.destroy();
    }
  }

  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    void serve(socket);
  });
  await listening(server, options.port ?? 0, options.host ?? "127.0.0.1");
  const address = server.address() as { port: number; address: string };
  return {
    port: address.port,
    host: address.address,
    received,
    faults,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function* cut(bytes: Buffer, size = bytes.length): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
