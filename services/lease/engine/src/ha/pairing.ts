import { connect, createServer, type TLSSocket } from "node:tls";
import type { HaNodes } from "@frontdesk/lease-config/ha-config";
import { dialOptions, fingerprintOf, isSameHost, type NodeKey, shown, tlsOptions } from "./link-sockets.ts";
import { isProof, newCode, proofOf, sessionOf } from "./pairing-proof.ts";

/** An invitation holds for so long, for one node, and for so many wrong codes. */
export const INVITATION_MS = 10 * 60_000;
const MAX_WRONG_CODES = 5;
const MAX_CONNECTIONS = 4;
const EXCHANGE_MS = 5000;
const PROOF_OCTETS = 32;
const REFUSED = Uint8Array.of(0);

/** Why two nodes were not paired; the sentence is for the operator. */
export class PairingProblem extends Error {}

export interface Invitation {
  readonly code: Uint8Array;
  /** The other node's fingerprint, once it has proved the code; undefined when the invitation ended without it. */
  readonly accepted: Promise<string | undefined>;
  close(): void;
}

/** On the primary: waits at its address for a node that knows the code. */
export async function invite(options: {
  own: NodeKey;
  nodes: HaNodes;
  /** A node has proved the code: what is to be done before its fingerprint is kept. */
  prepare: () => Promise<void>;
  /** Keeps the other node's fingerprint, before the other one is told. */
  keep: (fingerprint: string) => void;
  /** It could not be prepared or kept: the other node is not answered. */
  onNotKept: (error: unknown) => void;
  /** Calls back once; answers how to call it off. */
  schedule: (milliseconds: number, act: () => void) => () => void;
}): Promise<Invitation> {
  const { own, nodes, prepare, keep, onNotKept, schedule } = options;
  const code = newCode();
  let wrong = 0;
  let settle: (fingerprint: string | undefined) => void = () => {};
  const accepted = new Promise<string | undefined>((resolve) => {
    settle = resolve;
  });
  const sockets = new Set<TLSSocket>();
  let isOpen = true;
  const end = (fingerprint: string | undefined) => {
    if (!isOpen) return;
    isOpen = false;
    callOff();
    server.close();
    for (const socket of sockets) socket.destroySoon();
    settle(fingerprint);
  };
  const server = createServer(
    { ...tlsOptions(own), requestCert: true, handshakeTimeout: EXCHANGE_MS },
    async (socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
      const session = sessionOf(socket, "primary");
      const proof = await received(socket, PROOF_OCTETS);
      if (!isOpen || !session || !proof) return socket.destroy();
      if (!isProof(proof, proofOf(code, "secondary", session))) {
        socket.end(REFUSED);
        if (++wrong >= MAX_WRONG_CODES) end(undefined);
        return;
      }
      const fingerprint = fingerprintOf(session.secondary);
      try {
        await prepare();
        if (!isOpen || socket.destroyed) return socket.destroy();
        keep(fingerprint);
      } catch (error) {
        // A full disk, or a folder that may not be written: the code is good for another try.
        onNotKept(error);
        return socket.destroy();
      }
      socket.end(proofOf(code, "primary", session));
      end(fingerprint);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", (socket) => {
    if (!isSameHost(socket.remoteAddress, nodes.secondary.host)) socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new PairingProblem(`${shown(nodes.primary)} cannot be listened on (${error.code}).`)),
    );
    server.listen(nodes.primary.port, nodes.primary.host, resolve);
  });
  const callOff = schedule(INVITATION_MS, () => end(undefined));
  return { code, accepted, close: () => end(undefined) };
}

/** On the secondary: proves the code, has the primary prove it, and answers the primary's fingerprint. */
export async function join(options: { own: NodeKey; nodes: HaNodes; code: Uint8Array }): Promise<string> {
  const { own, nodes, code } = options;
  const socket = connect(dialOptions(own, nodes));
  const limit = setTimeout(() => socket.destroy(new Error("it does not answer")), EXCHANGE_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the connection was closed")));
    });
    socket.on("error", () => {});
    const session = sessionOf(socket, "secondary");
    if (!session) throw new Error("it shows no certificate");
    socket.write(proofOf(code, "secondary", session));
    const answer = await received(socket, PROOF_OCTETS);
    if (!answer || !isProof(answer, proofOf(code, "primary", session))) {
      throw new PairingProblem(
        "The primary did not accept the code, or another machine answers there: run leasectl ha pair on the primary for a new one.",
      );
    }
    return fingerprintOf(session.primary);
  } catch (error) {
    if (error instanceof PairingProblem) throw error;
    const { code: name, message } = error as NodeJS.ErrnoException;
    throw new PairingProblem(
      `The primary cannot be reached at ${shown(nodes.primary)} (${name ?? message}): run leasectl ha pair there first.`,
    );
  } finally {
    clearTimeout(limit);
    socket.destroySoon();
  }
}

/** The next octets, when there are so many; undefined when there will not be. */
function received(socket: TLSSocket, size: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    let octets = Buffer.alloc(0);
    const done = (value: Uint8Array | undefined) => {
      clearTimeout(limit);
      socket.off("data", take);
      resolve(value);
    };
    const take = (more: Buffer) => {
      octets = Buffer.concat([octets, more]);
      if (octets.length >= size) done(octets.subarray(0, size));
    };
    const limit = setTimeout(() => done(undefined), EXCHANGE_MS);
    socket.on("data", take);
    socket.once("close", () => done(undefined));
  });
}
