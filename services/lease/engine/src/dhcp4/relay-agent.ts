import { readU32 } from "@frontdesk/lease-options/address";

/** What a relay adds to a request on its way (RFC 3046 and its successors), as far as it is used here. */
export interface RelayAgent {
  /** The option as it came. */
  readonly octets: Uint8Array | undefined;
  readonly circuitId: Uint8Array | undefined;
  readonly remoteId: Uint8Array | undefined;
  /** The subnet the client is on, when it is not that of giaddr (RFC 3527). */
  readonly linkSelection: number | undefined;
  /** The address the client shall use as the server's (RFC 5107). */
  readonly serverIdOverride: number | undefined;
  /** The relay wants replies on the port it sent from (RFC 8357). */
  readonly sourcePort: boolean;
}

const SUB = { circuitId: 1, remoteId: 2, linkSelection: 5, serverIdOverride: 11, sourcePort: 19 } as const;

export const NO_RELAY_AGENT: RelayAgent = {
  octets: undefined,
  circuitId: undefined,
  remoteId: undefined,
  linkSelection: undefined,
  serverIdOverride: undefined,
  sourcePort: false,
};

/** Reads option 82; sub-options that are cut off or of a wrong size are as if not sent. */
export function readRelayAgent(bytes: Uint8Array | undefined): RelayAgent {
  if (bytes === undefined) return NO_RELAY_AGENT;
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at + 2 <= bytes.length; ) {
    const length = bytes[at + 1] as number;
    if (at + 2 + length > bytes.length) break;
    found.set(bytes[at] as number, bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return {
    octets: bytes,
    circuitId: found.get(SUB.circuitId),
    remoteId: found.get(SUB.remoteId),
    linkSelection: address(found.get(SUB.linkSelection)),
    serverIdOverride: address(found.get(SUB.serverIdOverride)),
    sourcePort: found.has(SUB.sourcePort),
  };
}

const address = (bytes: Uint8Array | undefined) => (bytes?.length === 4 ? readU32(bytes, 0) : undefined);
