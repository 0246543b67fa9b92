import { CODE6 } from "@frontdesk/lease-options/option6-table";
import type { Packet6, RelayHop } from "./message.ts";
import { firstOption, type Option6, readCodes } from "./options.ts";

/** What relays say of a client. */
export interface RelayInfo {
  /** The relay next to the client that says it. */
  readonly interfaceId: Uint8Array | undefined;
  /** RFC 4649: an enterprise number of four octets, then the identifier. */
  readonly remoteId: Uint8Array | undefined;
  /** RFC 6939: the client's hardware address, without its type of two octets. */
  readonly mac: Uint8Array | undefined;
  /** The client's own address on its link. */
  readonly peer: bigint | undefined;
}

const NOTHING: RelayInfo = {
  interfaceId: undefined,
  remoteId: undefined,
  mac: undefined,
  peer: undefined,
};

/** The relay next to the client knows it best; what it does not say, the next one may. */
export function readRelays({ relays }: Packet6): RelayInfo {
  if (relays.length === 0) return NOTHING;
  const said = (code: number) => {
    for (let i = relays.length - 1; i >= 0; i--) {
      const value = firstOption((relays[i] as RelayHop).options, code);
      if (value) return value;
    }
    return undefined;
  };
  const linkLayer = said(CODE6.clientLinkLayer);
  return {
    interfaceId: said(CODE6.interfaceId),
    remoteId: said(CODE6.remoteId),
    mac: linkLayer && linkLayer.length > 2 ? linkLayer.subarray(2) : undefined,
    peer: relays.at(-1)?.peer,
  };
}

/** RFC 4649 section 3 and RFC 8357 section 4 ask for these back; RFC 9915 section 19.3 for the Interface-Id. */
const ECHOED: ReadonlySet<number> = new Set([CODE6.interfaceId, CODE6.remoteId, CODE6.relayPort]);

/** What goes around the reply: the same relays in the same order (RFC 9915 section 19.3). */
export const replyHops = ({ relays }: Packet6): RelayHop[] =>
  relays.map(({ hops, link, peer, options }) => ({ hops, link, peer, options: echoOf(options) }));

/** RFC 4994 section 5: also what the relay itself asks for. */
function echoOf(options: readonly Option6[]): Option6[] {
  const asked = readCodes(firstOption(options, CODE6.echoRequest));
  return options.filter(({ code }) => ECHOED.has(code) || asked.includes(code));
}

/** RFC 8357 section 5.1: the relay next to the server wants the reply on the port it sent from. */
export const wantsSourcePort = ({ relays }: Packet6) =>
  relays[0] !== undefined && firstOption(relays[0].options, CODE6.relayPort) !== undefined;
