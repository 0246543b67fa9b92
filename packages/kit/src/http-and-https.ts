import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** The first byte of a TLS handshake. */
const TLS_HANDSHAKE = 0x16;
/** Whoever connects and says nothing for so long is shown out. */
const FIRST_BYTE_MS = 10_000;
const HANDSHAKE_MS = 10_000;
const MAX_CONNECTIONS = 1_000;

export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

export interface SecuredServer {
  /** New connections are shown this certificate from now on. */
  setIdentity(identity: TlsIdentity): void;
  /** Cuts every connection, whatever it is used for. */
  cutConnections(): void;
  /**
   * Cuts connections that no request can come on yet, and takes no more: for a server that begins to close. It knows
   * nothing of them, and would wait for them.
   */
  cutUnserved(): void;
}

/**
 * Lets an HTTP server, which does not listen yet, speak TLS as well on the port it will listen on: the first
 * byte of a connection tells which it is. The server itself stays the one that listens, so its own limits on
 * headers, requests and idle connections hold for both.
 */
export function speakHttpsToo(
  http: Server,
  identity: TlsIdentity,
  { firstByteMs = FIRST_BYTE_MS }: { readonly firstByteMs?: number } = {},
): SecuredServer {
  const sockets = new Set<Socket>();
  /** By where they come from: that is the same of what TLS makes of them. */
  const unserved = new Map<string, Socket>();
  let isClosing = false;
  // Node's own, which serves the connection, and those of whoever counts connections.
  const listeners = http.listeners("connection") as Array<(socket: Socket) => void>;
  const serve = (socket: Socket) => {
    unserved.delete(sourceOf(socket));
    for (const listener of listeners) listener.call(http, socket);
  };
  const tls = createTlsServer(
    { ...identity, ALPNProtocols: ["http/1.1"], handshakeTimeout: HANDSHAKE_MS },
    serve,
  );
  tls.on("tlsClientError", (_error, socket) => socket.destroy());
  http.removeAllListeners("connection").on("connection", (socket: Socket) => {
    if (isClosing) return void socket.destroy();
    const source = sourceOf(socket);
    sockets.add(socket);
    unserved.set(source, socket);
    socket.on("close", () => {
      sockets.delete(socket);
      // Another one may come from there by now.
      if (unserved.get(source) === socket) unserved.delete(source);
    });
    socket.on("error", () => socket.destroy());
    const late = () => socket.destroy();
    socket.setTimeout(firstByteMs, late);
    // Read without flowing: TLS takes what has been read back, but not from a stream that flows.
    socket.once("readable", () => {
      const first: Buffer | null = socket.read();
      if (!first) return void socket.destroy();
      socket.setTimeout(0);
      socket.off("timeout", late);
      socket.unshift(first);
      if (first[0] === TLS_HANDSHAKE) tls.emit("connection", socket);
      else serve(socket);
    });
  });
  http.maxConnections = MAX_CONNECTIONS;
  return {
    setIdentity: (next) => tls.setSecureContext(next),
    cutConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    cutUnserved: () => {
      isClosing = true;
      for (const socket of unserved.values()) socket.destroy();
    },
  };
}

const sourceOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
