import { createHmac, randomBytes, timingSafeEqual, type X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { Role } from "./ownership.ts";

const CODE_OCTETS = 16;
const EXPORTER = "EXPORTER-frontdesk-lease-ha-pairing";
const EXPORTED_OCTETS = 32;

/** 128 random bits. */
export const newCode = (): Uint8Array => randomBytes(CODE_OCTETS);

/** As people copy it: eight groups of four. */
export const codeText = (code: Uint8Array): string =>
  (Buffer.from(code).toString("hex").match(/.{4}/g) ?? []).join("-");

export function parseCode(text: string): Uint8Array | undefined {
  const digits = text.trim().replaceAll("-", "").toLowerCase();
  return /^[\da-f]{32}$/.test(digits) ? Buffer.from(digits, "hex") : undefined;
}

/** What a proof is bound to: both certificates, and the one TLS connection between them. */
export interface Session {
  readonly primary: X509Certificate;
  readonly secondary: X509Certificate;
  readonly exported: Uint8Array;
}

/** Undefined when the other end has shown no certificate. */
export function sessionOf(socket: TLSSocket, role: Role): Session | undefined {
  const own = socket.getX509Certificate();
  const peer = socket.getPeerX509Certificate();
  if (!own || !peer) return undefined;
  const [primary, secondary] = role === "primary" ? [own, peer] : [peer, own];
  return {
    primary,
    secondary,
    exported: socket.exportKeyingMaterial(EXPORTED_OCTETS, EXPORTER, Buffer.alloc(0)),
  };
}

/**
 * That a node knows the code. Whoever stands between the two has two TLS connections with certificates of its own: a
 * proof of one is none for the other. The sides prove different things, so that none is sent back.
 */
export function proofOf(code: Uint8Array, by: Role, session: Session): Uint8Array {
  const hash = createHmac("sha256", code);
  for (const part of [Buffer.from(by), session.exported, session.primary.raw, session.secondary.raw]) {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(part.length);
    hash.update(size).update(part);
  }
  return hash.digest();
}

export const isProof = (given: Uint8Array, wanted: Uint8Array): boolean =>
  given.length === wanted.length && timingSafeEqual(given, wanted);
