import type { HttpServer } from "@frontdesk/kit/http-server";
import { EventPage, EventQuery, Holder } from "@frontdesk/lease-control-api/schemas";
import { formatHex, formatIpv4, formatIpv6 } from "@frontdesk/lease-options/address";
import { Type } from "typebox";
import type { Holder as HeldBy } from "../store/history.ts";
import { EventStreams } from "./event-stream.ts";
import { eventView } from "./lease-view.ts";
import { anyAddressFrom, type ControlParts, macFrom, timeFrom } from "./parts.ts";

const POLL_MS = 250;
const MAX_PAGE = 500;

export function eventRoutes(app: HttpServer, { history }: ControlParts): void {
  app.get(
    "/v1/events",
    {
      schema: {
        summary: "What happened to leases: newest first, or oldest first with `after`",
        querystring: EventQuery,
        response: { 200: EventPage },
      },
    },
    async ({ query }) => {
      const { items, nextCursor } = history.events.page({
        limit: query.limit ?? 100,
        ...(query.ip ? { ip: anyAddressFrom(query.ip) } : {}),
        ...(query.mac ? { mac: macFrom(query.mac) } : {}),
        ...(query.type ? { type: query.type } : {}),
        ...(query.from ? { from: timeFrom(query.from) } : {}),
        ...(query.to ? { to: timeFrom(query.to) } : {}),
        ...(query.cursor ? { before: query.cursor } : {}),
        ...(query.after === undefined ? {} : { after: query.after }),
      });
      return { items: items.map(eventView), next_cursor: nextCursor ?? null, last: history.events.last() };
    },
  );

  app.get(
    "/v1/holder",
    {
      schema: {
        summary: "Who held an address at a time",
        querystring: Type.Object({ ip: Type.String(), at: Type.String() }),
        response: { 200: Holder },
      },
    },
    async ({ query }) => {
      const found = history.holder(anyAddressFrom(query.ip), timeFrom(query.at));
      return { holder: found ? holderView(found) : null };
    },
  );

  const streams = new EventStreams(POLL_MS);
  app.addHook("preClose", async () => streams.close());
  app.get(
    "/v1/events/stream",
    {
      schema: {
        summary: "Events as they happen, after a number (text/event-stream)",
        querystring: Type.Object({ after: Type.Optional(Type.Integer({ minimum: 0 })) }),
      },
    },
    async ({ query, headers }, reply) => {
      // A browser's EventSource, and whoever does as it does, goes on after what it has seen.
      const seen = Number(headers["last-event-id"]);
      const asked = Number.isInteger(seen) && seen >= 0 && headers["last-event-id"] ? seen : query.after;
      const newest = history.events.last();
      // Numbers begin anew in a new store: whoever knows one of the old is told what comes from now on.
      let last = Math.min(asked ?? newest, newest);
      streams.open(reply, () => {
        const { items } = history.events.page({ after: last, limit: MAX_PAGE });
        last = items.at(-1)?.id ?? last;
        return items.map((event) => ({ id: event.id, event: "lease", data: eventView(event) }));
      });
    },
  );
}

function holderView(found: HeldBy) {
  return {
    ip: typeof found.ip === "number" ? formatIpv4(found.ip) : formatIpv6(found.ip),
    mac: found.duid && found.mac.length === 0 ? null : formatHex(found.mac),
    duid: found.duid ? formatHex(found.duid) : null,
    client_id: found.clientId ? formatHex(found.clientId) : null,
    hostname: found.hostname,
    event: found.event ? eventView(found.event) : null,
  };
}
