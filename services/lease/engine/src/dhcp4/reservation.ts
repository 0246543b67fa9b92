import type { Network, Reservation } from "@frontdesk/lease-config/config";
import { circuitKey, clientIdKey, duidKey, macKey, remoteKey } from "@frontdesk/lease-config/identifiers";

/** RFC 4361 section 6.1: a client identifier of this type is an IAID of four octets and a DUID. */
const DUID_TYPE = 255;
const DUID_AT = 5;

/** Everything a reservation can know a client by. */
export interface Identifiers {
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null | undefined;
  readonly circuitId: Uint8Array | null | undefined;
  readonly remoteId: Uint8Array | null | undefined;
}

/** The address kept for a client, by the first of its identifiers that has one. */
export function reservationOf(network: Network, client: Identifiers): Reservation | undefined {
  const known = network.reservations;
  if (known.size === 0) return undefined;
  const { mac, clientId, circuitId, remoteId } = client;
  const duid =
    clientId && clientId[0] === DUID_TYPE && clientId.length > DUID_AT && clientId.subarray(DUID_AT);
  return (
    (clientId && known.get(clientIdKey(clientId))) ||
    (duid && known.get(duidKey(duid))) ||
    known.get(macKey(mac)) ||
    (circuitId && known.get(circuitKey(circuitId))) ||
    (remoteId && known.get(remoteKey(remoteId))) ||
    undefined
  );
}
