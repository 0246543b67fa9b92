import { sameBytes } from "@frontdesk/lease-options/address";

type Octets = Uint8Array | null | undefined;

/** Whether both are known, and the same. */
export const isSame = (one: Octets, other: Octets): boolean =>
  !!one && !!other && one.length > 0 && sameBytes(one, other);

/**
 * Whether who has a lease does not seem to be there any more. A client renews at half of its time (RFC 2131 section 4.4.5,
 * RFC 9915 section 21.4) and tries again until three quarters are over before it can be taken for gone.
 */
export const hasMissedRenewal = (
  { seen, until }: { readonly seen: number; readonly until: number },
  now: number,
): boolean => now > seen + (until - seen) * 0.75;
