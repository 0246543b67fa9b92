import { createHash } from "node:crypto";
import { nameOctets } from "./domain-name.ts";

/** What tells one client from another, by the kinds of RFC 4701 section 3.3. */
export interface ClientIdentity {
  readonly htype: number;
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null;
}

const BY_HARDWARE = 0;
const BY_CLIENT_ID = 1;
const BY_DUID = 2;
const SHA256 = 1;
/** RFC 4361 section 6.1: such a client identifier has an IAID and a DUID. */
const RFC4361_TYPE = 255;
const RFC4361_HEAD = 5;

/**
 * Whose a name is: the kind of the identifier, then its octets. A client that names a DUID has the same one with
 * DHCPv6, so both families are one owner.
 */
export function ownerOf({ htype, mac, clientId }: ClientIdentity): Uint8Array {
  const isDuid = clientId !== null && clientId[0] === RFC4361_TYPE && clientId.length > RFC4361_HEAD;
  if (isDuid) return ownerOfDuid(clientId.subarray(RFC4361_HEAD));
  if (clientId !== null && clientId.length > 0) return Uint8Array.of(BY_CLIENT_ID, ...clientId);
  return Uint8Array.of(BY_HARDWARE, htype, ...mac);
}

/** Of a client of DHCPv6. */
export const ownerOfDuid = (duid: Uint8Array): Uint8Array => Uint8Array.of(BY_DUID, ...duid);

/** The data of the DHCID record at a name that says whose it is (RFC 4701 section 3.5). */
export function dhcidOf(owner: Uint8Array, name: string): Uint8Array {
  const [kind = BY_HARDWARE, ...identifier] = owner;
  const digest = createHash("sha256").update(Uint8Array.from(identifier)).update(nameOctets(name)).digest();
  return Buffer.concat([Buffer.from([0, kind, SHA256]), digest]);
}
