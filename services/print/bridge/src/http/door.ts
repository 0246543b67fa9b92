import type { Server } from "node:http";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { StartProblem } from "@frontdesk/kit/problem";
import type { ListenAddress } from "@frontdesk/kit/settings";

/** The first byte of a TLS handshake. */
const TLS_HANDSHAKE = 0x16;
/** Whoever connects and says nothing for so long is shown out. */
const FIRST_BYTE_MS = 10_000;
const MOST_CONNECTIONS = 1_000;

export interface Door {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * One port for both: the first byte tells whether a caller speaks TLS or plain HTTP, and the same
 * HTTP server answers either.
 */
export async function openDoor(options: {
  readonly http: Server;
  readonly listen: ListenAddress;
  readonly setting: string;
  readonly identity: { readonly key: string; readonly cert: string };
}): Promise<Door> {
  const { http, listen } = options;
  const sockets = new Set<Socket>();
  const tls = createTlsServer({ ...options.identity, ALPNProtocols: ["http/1.1"] }, (secure) => {
    http.emit("connection", secure);
  });
  tls.on("tlsClientError", (_error, socket) => socket.destroy());
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(FIRST_BYTE_MS, () => socket.destroy());
    // Read without flowing: TLS takes what has been read back, but not from a stream that flows.
    socket.once("readable", () => {
      const first: Buffer | null = socket.read();
      if (!first) return void socket.destroy();
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? tls : http).emit("connection", socket);
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const where = `${listen.host}:${listen.port}`;
      reject(
        error.code === "EADDRINUSE"
          ? new StartProblem(
              `${where} is already in use: stop the program that has it, or set ${options.setting} to another address.`,
            )
          : new StartProblem(
              `${where} cannot be listened on (${error.code}): set ${options.setting} to another address.`,
            ),
      );
    });
    server.listen(listen.port, listen.host, () => resolve());
  });
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
