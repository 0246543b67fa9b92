import { hash } from "node:crypto";
import type { Pool6 } from "@frontdesk/lease-config/config6";
import { readIpv6, readU32, textBytes } from "@frontdesk/lease-options/address";
import { concat } from "@frontdesk/lease-options/option-types";
import type { AllocationRequest } from "../leases/allocate.ts";
import type { PoolRange } from "../leases/binding.ts";

type Place = NonNullable<AllocationRequest<bigint, Pool6>["place"]>;

const digestOf = (...parts: Uint8Array[]) => hash("sha256", concat(parts), "buffer");
/** Where in a digest the place of the first try stands; before it, what chooses among pools. */
const FIRST_TRY = 16;

/**
 * Where an identity belongs in the pools of a network: the same after any restart, and nobody without the secret can
 * tell one client's address from another's, or from its own elsewhere (RFC 7943 has the reasons). The secret comes first
 * and only a part of each digest is seen, so that a plain hash does. It is made when it is asked for: a client that has
 * a lease needs none.
 */
export const placements =
  (secret: Uint8Array) =>
  (network: string, identity: Uint8Array): Place => {
    let made: Uint8Array | undefined;
    const digest = () => {
      made ??= digestOf(secret, textBytes(network), identity);
      return made;
    };
    return {
      get hash() {
        return readU32(digest(), 0);
      },
      scatter: (pool, tries) => {
        const place =
          tries === 0
            ? readIpv6(digest(), FIRST_TRY)
            : readIpv6(digestOf(secret, digest(), Uint8Array.of(tries)), 0);
        return pool.first + ((place % sizeOf(pool)) << BigInt(pool.shift ?? 0));
      },
    };
  };

const sizeOf = ({ first, last, shift = 0 }: PoolRange<bigint>) => ((last - first) >> BigInt(shift)) + 1n;
