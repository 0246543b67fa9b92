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
 * The data of the DHCID record that says whose a name is (RFC 4701). A client that names a DUID has the
 * same one with DHCPv6, so both families are one owner.
 */
export function dhcidOf({ htype, mac, clientId }: ClientIdentity, name: string): Uint8Array {
  const isDuid = clientId !== null && clientId[0] === RFC4361_TYPE && clientId.length > RFC4361_HEAD;
  if (isDuid) return dhcid(BY_DUID, clientId.subarray(RFC4361_HEAD), name);
  if (clientId !== null && clientId.length > 0) return dhcid(BY_CLIENT_ID, clientId, name);
  return dhcid(BY_HARDWARE, Uint8Array.of(htype, ...mac), name);
}

/** Of a client of DHCPv6. */
export const dhcidOfDuid = (duid: Uint8Array, name: string): Uint8Array => dhcid(BY_DUID, duid, name);

function dhcid(kind: number, identifier: Uint8Array, name: string): Uint8Array {
  const digest = createHash("sha256").update(identifier).update(nameOctets(name)).digest();
  return Buffer.concat([Buffer.from([0, kind, SHA256]), digest]);
}
