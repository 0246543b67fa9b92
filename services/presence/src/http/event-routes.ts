import { isoTime } from "../domain/clock-text.ts";
import { EventsGone } from "../domain/codes.ts";
import { visitorOf } from "./gate.ts";
import { EventPage } from "./replies.ts";
import { EventQuery, OrgParams } from "./requests.ts";
import { DEFAULT_LIMIT, type Routes } from "./routes.ts";

const NOT_YET =
  "No event has that sequence yet (the database may be from a backup): read the current state, then go on after `resumeAfter`.";

export function eventRoutes({ app, reader }: Routes): void {
  app.get(
    "/events",
    {
      config: { needs: [["events:read"]] },
      schema: {
        operationId: "listEvents",
        tags: ["events"],
        summary: "The organisation's events in order, to catch up after a gap",
        params: OrgParams,
        querystring: EventQuery,
        response: { 200: EventPage },
        "x-problems": [410],
      },
    },
    async (request) => {
      const { org } = visitorOf(request).holder;
      const { limit = DEFAULT_LIMIT } = request.query;
      // Without a place to begin at, the page begins with the oldest event that is kept.
      const after = request.query.after ?? (await reader.eventRange(org.id)).purgedThrough;
      const { items, more } = await reader.events(org.id, after, limit);
      // Asked after the events, so that a page cut short by the retention is noticed.
      const range = await reader.eventRange(org.id);
      if (after < range.purgedThrough) throw new EventsGone(range.purgedThrough);
      // Whoever has heard what has not happened would miss what gets the same sequences from now on.
      if (after > range.last) throw new EventsGone(range.last, NOT_YET);
      return {
        data: items.map(({ id, type, sequence, occurredAt, source, data }) => ({
          id,
          type,
          sequence,
          orgSlug: org.slug,
          occurredAt: isoTime(occurredAt),
          source,
          data: JSON.parse(data),
        })),
        nextCursor: more ? String(items.at(-1)?.sequence) : null,
        lastSequence: range.last,
      };
    },
  );
}
