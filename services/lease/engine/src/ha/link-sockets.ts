import { constants, X509Certificate } from "node:crypto";
import { isIPv6, type TcpNetConnectOpts } from "node:net";
import { type ConnectionOptions, connect, createServer, type Server, type TLSSocket } from "node:tls";
import type { ListenAddress } from "@frontdesk/lease-config/config";
import type { HaNodes } from "@frontdesk/lease-config/ha-config";

/** How a node shows who it is; both are PEM. */
export interface NodeKey {
  readonly key: string;
  readonly cert: string;
}

/** And whom it takes for its peer. */
export interface Credentials extends NodeKey {
  /** SHA-256 of the peer's certificate, as it was when they were paired. */
  readonly peerFingerprint: string;
}

export interface SocketEvents {
  /** A connection whose other end has shown the peer's certificate. */
  connected(socket: TLSSocket): void;
  /** Why there is none; told whenever that changes. */
  problem(sentence: string): void;
}

const HANDSHAKE_MS = 3000;
/** Unfinished connections from the peer's address; the peer itself has one. */
const MAX_CONNECTIONS = 16;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 500;
/** A connection that lasted so long was no failure. */
const STEADY_MS = 5000;
const LISTEN_AGAIN_MS = 2000;

const WRONG_CERTIFICATE = "the other end does not have the certificate of the peer: pair the two again";

export const fingerprintOf = (certificate: X509Certificate | string): string =>
  (typeof certificate === "string" ? new X509Certificate(certificate) : certificate).fingerprint256;

/** TLS 1.3, both ends with a certificate. Whose it is, is told by its fingerprint: there is no authority. */
export const tlsOptions = ({ key, cert }: NodeKey) =>
  ({
    key,
    cert,
    minVersion: "TLSv1.3",
    rejectUnauthorized: false,
    // A resumed session would be as good, and one more thing to reason about.
    secureOptions: constants.SSL_OP_NO_TICKET,
  }) as const;

/** From the secondary's address to the primary's; the types of Node lack that TLS hands `localAddress` on. */
export const dialOptions = (
  own: NodeKey,
  { primary, secondary }: HaNodes,
): ConnectionOptions & TcpNetConnectOpts => ({
  ...tlsOptions(own),
  host: primary.host,
  port: primary.port,
  localAddress: secondary.host,
  checkServerIdentity: () => undefined,
});

const isPeer = (socket: TLSSocket, { peerFingerprint }: Credentials): boolean => {
  const certificate = socket.getPeerX509Certificate();
  return certificate !== undefined && fingerprintOf(certificate) === peerFingerprint;
};

/** The primary listens, at its address and for the secondary's. Answers how to stop. */
export function awaitPeer(own: Credentials, at: HaNodes, events: SocketEvents): () => void {
  const { host, port } = at.primary;
  let again: NodeJS.Timeout | undefined;
  let isOpen = true;
  const server: Server = createServer(
    { ...tlsOptions(own), requestCert: true, handshakeTimeout: HANDSHAKE_MS, noDelay: true },
    (socket) => {
      socket.on("error", () => {});
      // Its handshake began before this was stopped: nobody would end it any more.
      if (!isOpen) socket.destroy();
      else if (isPeer(socket, own)) events.connected(socket);
      else {
        events.problem(WRONG_CERTIFICATE);
        socket.destroy();
      }
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Before the handshake: nobody else can use up its connections.
  server.on("connection", (socket) => {
    if (!isSameHost(socket.remoteAddress, at.secondary.host)) {
      events.problem(`a connection came from ${socket.remoteAddress}, which is not [ha] secondary`);
      socket.destroy();
    }
  });
  server.on("tlsClientError", ({ message }, { remoteAddress }) => {
    if (isSameHost(remoteAddress, at.secondary.host)) events.problem(`a connection failed: ${message}`);
  });
  server.on("error", (error) => {
    events.problem(`${shown(at.primary)} cannot be listened on (${codeOf(error)})`);
    again = setTimeout(() => server.listen(port, host), LISTEN_AGAIN_MS);
  });
  server.listen(port, host);
  return () => {
    isOpen = false;
    clearTimeout(again);
    server.close();
  };
}

/** The secondary dials, from its address, until it is stopped. */
export function dialPeer(own: Credentials, at: HaNodes, events: SocketEvents): () => void {
  const options = dialOptions(own, at);
  let socket: TLSSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wait = FIRST_WAIT_MS;
  let isOpen = true;
  const dial = () => {
    const startedAt = performance.now();
    let failure = "the connection was closed";
    const dialled = connect(options);
    socket = dialled;
    dialled.setNoDelay(true);
    const limit = setTimeout(() => {
      failure = "it does not answer";
      dialled.destroy();
    }, HANDSHAKE_MS);
    dialled.once("secureConnect", () => {
      clearTimeout(limit);
      if (isPeer(dialled, own)) {
        events.connected(dialled);
        return;
      }
      failure = WRONG_CERTIFICATE;
      dialled.destroy();
    });
    dialled.on("error", (error) => {
      failure = codeOf(error);
    });
    dialled.once("close", () => {
      clearTimeout(limit);
      if (!isOpen) return;
      events.problem(`${shown(at.primary)} cannot be reached: ${failure}`);
      wait = performance.now() - startedAt > STEADY_MS ? FIRST_WAIT_MS : wait;
      timer = setTimeout(dial, wait);
      wait = Math.min(MAX_WAIT_MS, wait * 2);
    });
  };
  dial();
  return () => {
    isOpen = false;
    clearTimeout(timer);
    socket?.destroy();
  };
}

/** As `host:port` is written. */
export const shown = ({ host, port }: ListenAddress) =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;

const codeOf = (error: Error) => (error as NodeJS.ErrnoException).code ?? error.message;

/** An address of IPv6 can be written in several ways. */
export function isSameHost(one: string | undefined, other: string): boolean {
  if (one === undefined) return false;
  return one === other || (isIPv6(one) && isIPv6(other) && plain(one) === plain(other));
}

const plain = (host: string) => new URL(`http://[${host}]`).hostname;
