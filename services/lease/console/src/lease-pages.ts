import type { QueryKey } from "@tanstack/react-query";
import type { LeaseFilter } from "./api.ts";

/** The name of a list of leases in the cache. */
export const leasePagesKey = ({ q, subnet, state }: LeaseFilter): QueryKey => [
  "lease-pages",
  q,
  subnet,
  state,
];
