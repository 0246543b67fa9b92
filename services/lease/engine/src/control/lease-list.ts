import type { Config } from "@frontdesk/lease-config/config";
import type { Subnet6 } from "@frontdesk/lease-config/config6";
import type { LeasePage, LeaseQuery } from "@frontdesk/lease-control-api/schemas";
import { formatIpv4, formatIpv6 } from "@frontdesk/lease-options/address";
import type { Static } from "typebox";
import type { LeasePages } from "../store/lease-pages.ts";
import { leaseView, leaseView6, STATE_NAMES } from "./lease-view.ts";
import { anyAddressFrom } from "./parts.ts";

/** The cursor before all leases of DHCPv6. */
const FIRST_OF_6 = 0n;
const NOTHING: LeasePage = { items: [], next_cursor: null, total: 0 };

/** Leases by address: those of DHCPv4 first, then those of DHCPv6. */
export function listLeases(
  query: Static<typeof LeaseQuery>,
  leases: Pick<LeasePages, "page" | "page6">,
  config: Config,
  moment: { readonly now: number; readonly offset: number },
): LeasePage {
  const { subnet: name, limit = 100 } = query;
  const subnet = config.subnets.find((each) => each.name === name);
  const subnet6 = config.v6.subnets.find((each) => each.name === name);
  if (name !== undefined && !subnet && !subnet6) return NOTHING;
  const cursor = query.cursor ? anyAddressFrom(query.cursor) : undefined;
  const common = {
    ...(query.q ? { text: query.q } : {}),
    ...(query.class ? { class: query.class } : {}),
    ...(query.state ? { states: [STATE_NAMES[query.state]] } : {}),
  };
  const page = leases.page({
    ...common,
    // Of a page that is all of DHCPv6, only how many there are of DHCPv4 is wanted.
    limit: typeof cursor === "bigint" || subnet6 ? 0 : limit,
    ...(typeof cursor === "number" ? { cursor } : {}),
    ...(subnet ? { range: { first: subnet.address, last: (subnet.address | ~subnet.mask) >>> 0 } } : {}),
    ...(subnet6 ? { range: { first: 1, last: 0 } } : {}),
  });
  const items = page.items.map((lease) => leaseView(lease, config, moment));
  const isFull = page.nextCursor !== undefined && items.length > 0;
  const rest = isFull || subnet ? 0 : limit - items.length;
  const page6 = leases.page6({
    ...common,
    limit: rest,
    ...(typeof cursor === "bigint" && cursor !== FIRST_OF_6 ? { cursor } : {}),
    ...(subnet6 ? { ranges: rangesOf(subnet6) } : {}),
    ...(subnet ? { ranges: [] } : {}),
  });
  const total = page.total + page6.total;
  if (isFull) return { items, next_cursor: formatIpv4(page.nextCursor as number), total };
  items.push(...page6.items.map((lease) => leaseView6(lease, config, moment)));
  const isMore = rest === 0 ? page6.total > 0 && !subnet : page6.nextCursor !== undefined;
  const next = rest === 0 ? FIRST_OF_6 : (page6.nextCursor ?? FIRST_OF_6);
  return { items, next_cursor: isMore ? formatIpv6(next) : null, total };
}

/** What a subnet gives: its own addresses, and the prefixes that it delegates. */
const rangesOf = ({ address, last, pools, reservations }: Subnet6) => [
  { first: address, last },
  ...pools.filter(({ shift }) => shift > 0).map((pool) => ({ first: pool.first, last: pool.last })),
  ...reservations.flatMap(({ prefix }) => (prefix ? [{ first: prefix.address, last: prefix.address }] : [])),
];
