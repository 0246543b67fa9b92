import type { Network6, Reservation6 } from "@frontdesk/lease-config/config6";
import { duidKey, interfaceIdKey, macKey, remoteKey } from "@frontdesk/lease-config/identifiers";

/** Everything a reservation can know a client by. */
export interface Identifiers6 {
  readonly duid: Uint8Array;
  readonly mac: Uint8Array | null | undefined;
  readonly interfaceId: Uint8Array | null | undefined;
  readonly remoteId: Uint8Array | null | undefined;
}

/** RFC 4649 section 3: what stands before the identifier that people know. */
const ENTERPRISE_OCTETS = 4;

/** With and without what stands before it. */
export const remoteKeys = (remoteId: Uint8Array): string[] => [
  remoteKey(remoteId),
  remoteKey(remoteId.subarray(ENTERPRISE_OCTETS)),
];

/** What is kept for a client, by the first of its identifiers that has something. */
export function reservationOf6(network: Network6, client: Identifiers6): Reservation6 | undefined {
  const known = network.reservations;
  if (known.size === 0) return undefined;
  const { duid, mac, interfaceId, remoteId } = client;
  return (
    known.get(duidKey(duid)) ??
    (mac ? known.get(macKey(mac)) : undefined) ??
    (interfaceId ? known.get(interfaceIdKey(interfaceId)) : undefined) ??
    (remoteId
      ? remoteKeys(remoteId)
          .map((key) => known.get(key))
          .find((each) => each)
      : undefined)
  );
}
