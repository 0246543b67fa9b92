import { clientName } from "../client-name.ts";
import type { Role } from "../ha/ownership.ts";
import type { PairPart } from "../leases/binding.ts";
import type { PairWrite } from "../loop/lease-store.ts";

/** What the pair keeps of a lease, in the order of `PartRow`. */
export const PART = "pair_server, pair_client, pair_promise, pair_known, pair_seq, pair_base";
export const PART_COLUMNS = PART.split(", ").length;
export type PartRow = [number, string | null, number, number | null, number, number];
const ROLES: readonly Role[] = ["primary", "secondary"];

export const partOf = ([server, client, promise, known, seq, base]: PartRow): PairPart => ({
  server: ROLES[server] as Role,
  client: client && clientName(client),
  promise,
  known,
  seq,
  base,
});

export const partRow = (
  { server, promise, known, seq, base }: PairWrite["row"],
  client: string | null,
): PartRow => [ROLES.indexOf(server), client, promise, known, seq, base];
