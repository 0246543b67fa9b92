import type { ForeignLease } from "./lease-record.ts";
import type { ForeignLease6 } from "./lease6-record.ts";

/** A lease that another server gave, of either family. */
export type AnyForeignLease = ForeignLease | ForeignLease6;

export const isForeign6 = (lease: AnyForeignLease): lease is ForeignLease6 => "duid" in lease;
