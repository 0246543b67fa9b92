import { Readable } from "node:stream";
import { DomainError } from "@frontdesk/kit/domain-error";
import type { HttpServer } from "@frontdesk/kit/http-server";
import {
  EventPage,
  EventQuery,
  ExplainQuery,
  Explanation,
  Holder,
  LeaseChange,
  LeaseQuery,
  MAX_RELEASES,
} from "@frontdesk/lease-control-api/schemas";
import { type Static, Type } from "typebox";
import { refuse } from "../domain/codes.ts";
import type { SeenLease } from "../domain/engine.ts";
import { withMaker } from "../domain/makers.ts";
import { eventsAsCsv } from "./csv.ts";
import { authorOf } from "./gate.ts";
import { seenIfTold } from "./if-match.ts";
import { LeaseMovedOn } from "./lease-moved-on.ts";
import type { ManagerParts } from "./parts.ts";
import {
  AddressPath,
  HolderQuery,
  LeaseView,
  LeaseViewPage,
  Releasable,
  ReleasableQuery,
  ReleasedMany,
  ReleaseQuery,
  ReservationBody,
} from "./schemas.ts";

const MAX_PAGE = 1000;
const IF_MATCH =
  "With If-Match, which names the `version` of the lease, it is refused with 412 and the lease as it is now if another device has the address, or if somebody has changed its note or DNS name since. Without, or with `*`, it is done whoever has it.";

export function leaseRoutes(app: HttpServer, parts: ManagerParts): void {
  const { engine, reservations, audited, makers } = parts;
  const shown = withMaker(makers);

  /** Active leases that a filter shows, without reserved addresses. */
  const releasable = async (filter: Static<typeof ReleasableQuery>): Promise<SeenLease[]> => {
    const found: SeenLease[] = [];
    let cursor: string | undefined;
    do {
      const page = await engine.leases({ ...filter, state: "active", limit: MAX_PAGE, cursor });
      for (const { ip, version, reserved } of page.items) if (!reserved) found.push({ ip, version });
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    return found;
  };

  /** Whoever is refused because somebody else was faster is told what there is now. */
  const withCurrent = (ip: string) => async (error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== "lease_changed") throw error;
    throw new LeaseMovedOn(shown(await engine.lease(ip)));
  };

  app.get(
    "/api/v1/leases",
    {
      schema: {
        operationId: "listLeases",
        summary: "Leases, by address",
        tags: ["leases"],
        querystring: LeaseQuery,
        response: { 200: LeaseViewPage },
      },
    },
    async ({ query }) => {
      const page = await engine.leases(query);
      return { ...page, items: page.items.map(shown) };
    },
  );

  app.get(
    "/api/v1/leases/:ip",
    {
      schema: {
        operationId: "getLease",
        summary: "One lease",
        tags: ["leases"],
        params: AddressPath,
        response: { 200: LeaseView },
      },
    },
    async ({ params }) => shown(await engine.lease(params.ip)),
  );

  app.delete(
    "/api/v1/leases/:ip",
    {
      schema: {
        operationId: "releaseLease",
        summary: "Release a lease, or end the quarantine of an address",
        description: IF_MATCH,
        tags: ["leases"],
        params: AddressPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { ip } = request.params;
      const author = authorOf(request);
      await audited({ author, action: "lease_release", subject: ip }, () =>
        engine.release(ip, seenIfTold(request)).catch(withCurrent(ip)),
      );
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/api/v1/releasable-leases",
    {
      schema: {
        operationId: "countReleasableLeases",
        summary: "How many leases a release by this filter would release",
        tags: ["leases"],
        querystring: ReleasableQuery,
        response: { 200: Releasable },
      },
    },
    async ({ query }) => ({ count: (await releasable(query)).length }),
  );

  app.delete(
    "/api/v1/leases",
    {
      schema: {
        operationId: "releaseLeases",
        summary: "Release what a filter shows, if it shows as many as `count` says; reserved addresses stay",
        tags: ["leases"],
        querystring: ReleaseQuery,
        response: { 200: ReleasedMany },
      },
    },
    async (request) => {
      const { count, ...filter } = request.query;
      if (Object.values(filter).every((value) => !value)) return refuse("filter_needed");
      const leases = await releasable(filter);
      if (leases.length !== count) return refuse("count_differs");
      const author = authorOf(request);
      const subject = JSON.stringify(filter);
      const act = { author, action: "lease_release_many", subject, details: String(count) };
      return audited(act, async (assertAllowed) => {
        let released = 0;
        for (let from = 0; from < leases.length; from += MAX_RELEASES) {
          await assertAllowed();
          released += (await engine.releaseMany(leases.slice(from, from + MAX_RELEASES))).released;
        }
        return { released };
      });
    },
  );

  app.patch(
    "/api/v1/leases/:ip",
    {
      schema: {
        operationId: "changeLease",
        summary: "Say something of the device that has a lease; it outlives the lease",
        description:
          "With If-Match, which names the `version` of the lease, it is refused with 412 and the lease as it is now if somebody else has changed its note or DNS name since. Without, or with `*`, it is written over whatever there is.",
        tags: ["leases"],
        params: AddressPath,
        body: LeaseChange,
        response: { 200: LeaseView },
      },
    },
    async (request) => {
      const { ip } = request.params;
      const author = authorOf(request);
      const details = Object.keys(request.body).join(" ");
      const act = { author, action: "lease_change", subject: ip, details };
      const seen = seenIfTold(request);
      return shown(await audited(act, () => engine.change(ip, request.body, seen).catch(withCurrent(ip))));
    },
  );

  app.post(
    "/api/v1/leases/:ip/reserve",
    {
      schema: {
        operationId: "reserveLease",
        summary: "Reserve the address for the device that has it",
        description: IF_MATCH,
        tags: ["leases"],
        params: AddressPath,
        response: { 201: ReservationBody },
      },
    },
    async (request, reply) => {
      const lease = await engine.lease(request.params.ip);
      const seen = seenIfTold(request);
      if (seen !== undefined && seen !== lease.version) throw new LeaseMovedOn(shown(lease));
      return reply.code(201).send(await reservations.addOf(authorOf(request), lease));
    },
  );

  app.post(
    "/api/v1/leases/:ip/force-renew",
    {
      schema: {
        operationId: "renewLease",
        summary: "Tell the client to renew now (RFC 3203, RFC 6704)",
        tags: ["leases"],
        params: AddressPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { ip } = request.params;
      const author = authorOf(request);
      await audited({ author, action: "lease_force_renew", subject: ip }, () => engine.forceRenew(ip));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/api/v1/lease-events",
    {
      schema: {
        operationId: "listLeaseEvents",
        summary: "What happened to leases: newest first, or oldest first with `after`",
        tags: ["activity"],
        querystring: EventQuery,
        response: { 200: EventPage },
      },
    },
    ({ query }) => engine.events(query),
  );

  app.get(
    "/api/v1/lease-events.csv",
    {
      schema: {
        operationId: "downloadLeaseEvents",
        summary: "The same as CSV, all of it",
        tags: ["activity"],
        // It is read by a cursor of its own, which another one would get in the way of.
        querystring: Type.Omit(EventQuery, ["cursor", "after", "limit"], { additionalProperties: false }),
      },
    },
    async ({ method, query }, reply) => {
      // HEAD is answered without reading all that GET would send.
      const csv = method === "HEAD" ? Readable.from([]) : await eventsAsCsv(engine, query);
      return reply
        .header("content-type", "text/csv; charset=utf-8")
        .header("content-disposition", 'attachment; filename="lease-events.csv"')
        .send(csv);
    },
  );

  app.get(
    "/api/v1/holder",
    {
      schema: {
        operationId: "findHolder",
        summary: "Who held an address at a time",
        tags: ["activity"],
        querystring: HolderQuery,
        response: { 200: Holder },
      },
    },
    ({ query }) => engine.holder(query.ip, query.at),
  );

  app.post(
    "/api/v1/explain",
    {
      schema: {
        operationId: "explain",
        summary: "What a client would get and why; nothing is kept of it",
        tags: ["leases"],
        body: ExplainQuery,
        response: { 200: Explanation },
      },
    },
    ({ body }) => engine.explain(body),
  );
}
