import { writeU32 } from "@frontdesk/lease-options/address";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import { STATE } from "../leases/binding.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import type { IaType } from "./ia.ts";

const NOBODY = new Uint8Array(0);
/** RFC 9915 section 11.1: two octets of type, and at most 128 more. */
export const MIN_DUID = 3;
export const MAX_DUID = 130;

/** The octets an identity association is known by: its type, its IAID, its client's DUID, which is not looked into. */
export function identityOf(type: IaType, iaid: number, duid: Uint8Array): Uint8Array {
  const identity = new Uint8Array(5 + duid.length);
  identity[0] = type;
  writeU32(identity, 1, iaid);
  identity.set(duid, 5);
  return identity;
}

/** What a lease of this length is known by. */
export const typeOfLength = (length: number): IaType => (length < 128 ? CODE6.iaPd : CODE6.iaNa);

/** Whose a lease is, by what is kept of it. */
export function identityOfRecord({ duid, iaid, length, state }: Lease6Record): Uint8Array {
  return state === STATE.declined || duid.length === 0
    ? NOBODY
    : identityOf(typeOfLength(length), iaid, duid);
}
