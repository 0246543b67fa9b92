import type { HttpServer } from "@frontdesk/kit/http-server";
import { type DelegatedPrefix, PrefixPage, PrefixQuery } from "@frontdesk/lease-control-api/prefixes";
import { formatHex, formatIpv6, formatPrefix6, parseIpv6 } from "@frontdesk/lease-options/address";
import { FOREVER, STATE } from "../leases/binding.ts";
import type { NotedLease6 } from "../store/lease-pages.ts";
import { type ControlParts, refuse } from "./parts.ts";

const USUAL_PAGE = 1000;
const address = (value: bigint) => (value === 0n ? null : formatIpv6(value));

/** The prefixes that are delegated now, for routers that must know where each leads. */
export function prefixRoutes(app: HttpServer, { history }: ControlParts): void {
  app.get(
    "/v1/prefixes",
    {
      schema: {
        summary: "Delegated prefixes with next hop and end, for routers",
        querystring: PrefixQuery,
        response: { 200: PrefixPage },
      },
    },
    async ({ query }) => {
      // Read before the leases: a change in between is told by both.
      const last = history.events.last();
      const offset = Math.round(history.clockOffset() / 1000);
      const cursor =
        query.cursor === undefined ? undefined : (parseIpv6(query.cursor) ?? refuse("bad_address"));
      const { items, nextCursor } = history.leases.page6({
        states: [STATE.bound],
        isPrefix: true,
        limit: query.limit ?? USUAL_PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return {
        items: items.map((lease) => prefixView(lease, offset)),
        next_cursor: nextCursor === undefined ? null : formatIpv6(nextCursor),
        last_event: last,
      };
    },
  );
}

const prefixView = (lease: NotedLease6, offset: number): DelegatedPrefix => ({
  prefix: formatPrefix6(lease),
  next_hop: address(lease.peer),
  interface: lease.link === 0n ? lease.interface : null,
  link: address(lease.link),
  duid: formatHex(lease.duid),
  iaid: lease.iaid,
  expires_at: lease.until === FOREVER ? null : new Date((lease.until - offset) * 1000).toISOString(),
});
