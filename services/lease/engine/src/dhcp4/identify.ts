import type { Config } from "@frontdesk/lease-config/config";

const BY_HARDWARE = 0;
const BY_CLIENT_ID = 1;
/** RFC 2132 section 9.14: what one option can hold; longer ones are made of pieces. */
export const MAX_CLIENT_ID = 255;

/**
 * RFC 2131 section 4.2: the client identifier names a client; without one, its hardware address
 * does. The octets: the kind, then the identifier, or the hardware type and address.
 */
export function identityOf(
  config: Pick<Config, "identity">,
  htype: number,
  chaddr: Uint8Array,
  clientId: Uint8Array | undefined | null,
): Uint8Array | undefined {
  if (clientId && clientId.length >= 2 && config.identity === "client_id") {
    const identity = new Uint8Array(1 + clientId.length);
    identity[0] = BY_CLIENT_ID;
    identity.set(clientId, 1);
    return identity;
  }
  if (chaddr.length === 0) return undefined;
  const identity = new Uint8Array(2 + chaddr.length);
  identity[0] = BY_HARDWARE;
  identity[1] = htype;
  identity.set(chaddr, 2);
  return identity;
}

export const describeIdentity = (identity: Uint8Array) =>
  identity[0] === BY_CLIENT_ID
    ? ({ by: "identifier", octets: identity.subarray(1) } as const)
    : ({ by: "hardware", octets: identity.subarray(2) } as const);
