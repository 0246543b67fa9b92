import { createHmac } from "node:crypto";
import type { Pool6 } from "@frontdesk/lease-config/config6";
import { ipv6Bytes, readIpv6, readU32 } from "@frontdesk/lease-options/address";
import type { AllocationRequest } from "../leases/allocate.ts";
import type { PoolRange } from "../leases/binding.ts";

type Place = NonNullable<AllocationRequest<bigint, Pool6>["place"]>;

/**
 * Where an identity belongs in a pool: the same after any restart, and nobody without the secret can tell one client's
 * address from another's (RFC 7943 has the reasons).
 */
export const placements =
  (secret: Uint8Array) =>
  (identity: Uint8Array): Place => ({
    get hash() {
      return readU32(createHmac("sha256", secret).update(identity).digest(), 0);
    },
    scatter: (pool, tries) => {
      const digest = createHmac("sha256", secret)
        .update(Uint8Array.of(tries))
        .update(ipv6Bytes(pool.first))
        .update(identity)
        .digest();
      const shift = BigInt(pool.shift ?? 0);
      return pool.first + ((readIpv6(digest, 0) % sizeOf(pool)) << shift);
    },
  });

const sizeOf = ({ first, last, shift = 0 }: PoolRange<bigint>) => ((last - first) >> BigInt(shift)) + 1n;
