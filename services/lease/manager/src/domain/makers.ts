import type { Lease } from "@frontdesk/lease-control-api/schemas";

/** Who makes devices, by their hardware addresses. */
export interface Makers {
  /** null: not known, or an address that says nothing of its maker. */
  of(mac: string): string | null;
}

/** A lease with who made its device. */
export const withMaker = (makers: Makers) => (lease: Lease) => ({
  ...lease,
  maker: lease.mac ? makers.of(lease.mac) : null,
});
