import { createHash } from "node:crypto";
import { isIPv4 } from "node:net";
import type { DeviceIdentity, NameHolder } from "../leases/dns-name.ts";
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
const IAID = 4;
const ETHERNET = 1;

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

/**
 * As whom a device that has names in both families may have that of an address as well: each family by itself, or both as
 * another one.
 */
export function otherOwners(names: readonly NameHolder[], address: string): Uint8Array[] {
  if (new Set(names.map((each) => isIPv4(each.address))).size < 2) return [];
  const own = names.find((each) => each.address === address)?.owner;
  const all = names.flatMap(({ owner, holder, device }) => [owner ?? [], ownersBy(holder, device)].flat());
  const isSame = (one: Uint8Array, other?: Uint8Array | null) => other && Buffer.from(one).equals(other);
  return all.filter((each, at) => !isSame(each, own) && all.findIndex((one) => isSame(one, each)) === at);
}

/** Of DHCPv4 it is not told which identifier a client has: a hardware address counts only where it is the device's own. */
function ownersBy([family, ...known]: Uint8Array, device: Uint8Array): Uint8Array[] {
  if (family === 6) return [ownerOfDuid(Uint8Array.from(known.slice(IAID)))];
  const [htype = 0, ...mac] = known;
  const byClientId = ownerOf({ htype, mac: device, clientId: Uint8Array.from(known) });
  return Buffer.from(mac).equals(device)
    ? [byClientId, ownerOf({ htype, mac: device, clientId: null })]
    : [byClientId];
}

/** As whom a server may have brought a name of a device with both families, by what it is known as. */
export function ownersOfDevice(known: readonly DeviceIdentity[]): Uint8Array[] {
  const mac = known[0]?.device;
  if (!mac) return [];
  const clientIds = [null, Uint8Array.of(ETHERNET, ...mac)];
  const of4 = clientIds.map((clientId) => ownerOf({ htype: ETHERNET, mac, clientId }));
  return [...known.map(({ duid }) => ownerOfDuid(duid)), ...of4];
}

/** The data of the DHCID record at a name that says whose it is (RFC 4701 section 3.5). */
export function dhcidOf(owner: Uint8Array, name: string): Uint8Array {
  const [kind = BY_HARDWARE, ...identifier] = owner;
  const digest = createHash("sha256").update(Uint8Array.from(identifier)).update(nameOctets(name)).digest();
  return Buffer.concat([Buffer.from([0, kind, SHA256]), digest]);
}
