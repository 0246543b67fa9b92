import type { Config } from "@frontdesk/lease-config/config";
import { formatHex } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { drop, type Step } from "./exchange.ts";
import { BOOTREQUEST } from "./message.ts";

const BY_HARDWARE = 0;
const BY_CLIENT_ID = 1;

/** RFC 2131 section 4.2: the client identifier names a client; without one, its hardware address does. */
export const identify: Step = (x) => {
  const { request } = x;
  if (request.op !== BOOTREQUEST) return drop(x, "not a request");
  const identity = identityOf(
    x.config,
    request.htype,
    request.chaddr,
    request.options.get(CODE.clientIdentifier),
  );
  if (!identity) return drop(x, "the client names itself neither by hardware address nor by identifier");
  x.identity = identity;
  x.trail?.push(
    identity[0] === BY_CLIENT_ID
      ? `The client is known by its identifier ${formatHex(identity.subarray(1))}.`
      : `The client is known by its hardware address ${formatHex(identity.subarray(2))}.`,
  );
  return "continue";
};

/** The octets a client is known by: the kind, then the identifier or the hardware type and address. */
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
