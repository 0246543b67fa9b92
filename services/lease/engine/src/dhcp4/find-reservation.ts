import type { Network, Reservation } from "@frontdesk/lease-config/config";
import { circuitKey, clientIdKey, duidKey, macKey, remoteKey } from "@frontdesk/lease-config/identifiers";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { Exchange, Step } from "./exchange.ts";

/** RFC 4361 section 6.1: a client identifier of this type is an IAID of four octets and a DUID. */
const DUID_TYPE = 255;
const DUID_AT = 5;

/** The address kept for this client, by the first of its identifiers that has one. */
export const findReservation: Step = (x) => {
  const known = (x.network as Network).reservations;
  if (known.size > 0) x.reservation = lookUp(x, known);
  if (x.reservation) x.trail?.push(`The address ${formatIpv4(x.reservation.ip)} is reserved for it.`);
  else x.trail?.push("It has no reservation.");
  return "continue";
};

function lookUp(x: Exchange, known: ReadonlyMap<string, Reservation>): Reservation | undefined {
  const { request, relay } = x;
  const clientId = request.options.get(CODE.clientIdentifier);
  const isDuid = clientId !== undefined && clientId[0] === DUID_TYPE && clientId.length > DUID_AT;
  return (
    (clientId && known.get(clientIdKey(clientId))) ??
    (isDuid ? known.get(duidKey(clientId.subarray(DUID_AT))) : undefined) ??
    known.get(macKey(request.chaddr)) ??
    (relay.circuitId && known.get(circuitKey(relay.circuitId))) ??
    (relay.remoteId && known.get(remoteKey(relay.remoteId)))
  );
}
