import type { ExplainQuery } from "@frontdesk/lease-control-api/schemas";
import type { Static } from "typebox";
import { refuse } from "./parts.ts";

type Query = Static<typeof ExplainQuery>;

const OF_DHCPV4 = ["client_id", "giaddr", "circuit_id", "options"] as const;
const OF_DHCPV6 = ["iaid", "link", "interface_id", "prefix"] as const;

/** Asked with a DUID, DHCPv6 explains; what only the other protocol knows would be left out of its decision unseen. */
export function assertOneProtocol(query: Query): void {
  const others: ReadonlyArray<keyof Query> = query.duid === undefined ? OF_DHCPV6 : OF_DHCPV4;
  if (others.some((name) => query[name] !== undefined)) refuse("other_protocol");
}
