import { Type } from "typebox";
import { calendarText, makeCalendar, revokeCalendar } from "../domain/calendar.ts";
import { isoTime, isoTimeOrNull } from "../domain/clock-text.ts";
import { refuse } from "../domain/codes.ts";
import { hashToken } from "../domain/token.ts";
import { APP_BASE } from "./app-base.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { CalendarMade, CalendarState } from "./app-schemas.ts";
import { OrgParams, words } from "./requests.ts";

const tags = ["Calendar"];
const CALENDAR = "text/calendar; charset=utf-8";

/** One's statuses for calendar programs, at an address that nobody guesses. */
export const appCalendarRoutes: AppRoutes = (app, { desk, appReader, countCalendar, clock, publicUrl }) => {
  app.get(
    "/orgs/:org/me/calendar",
    {
      schema: {
        summary: "Whether there is a calendar of one's statuses",
        tags,
        params: OrgParams,
        response: { 200: CalendarState },
      },
    },
    async (request) => {
      const settings = await appReader.memberSettings(colleagueOf(request).member.id);
      return { createdAt: isoTimeOrNull(settings.calendarCreatedAt) };
    },
  );
  app.post(
    "/orgs/:org/me/calendar",
    {
      schema: {
        summary: "Make a secret address for one's calendar; the one before opens nothing any more",
        tags,
        params: OrgParams,
        response: { 201: CalendarMade },
      },
    },
    async (request, reply) => {
      const { org, member, actor } = colleagueOf(request);
      const made = await desk.change(org.id, actor, async (unit) => ({
        url: `${publicUrl}${APP_BASE}/calendar/${await makeCalendar(unit, member.id)}.ics`,
        createdAt: isoTime(unit.now),
      }));
      return reply.code(201).send(made);
    },
  );
  app.delete(
    "/orgs/:org/me/calendar",
    {
      schema: {
        summary: "Revoke the address of one's calendar",
        tags,
        params: OrgParams,
        response: { 204: Type.Null({ description: "Revoked" }) },
      },
    },
    async (request, reply) => {
      const { org, member, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => revokeCalendar(unit, member.id));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/calendar/:token",
    {
      schema: {
        summary: "A member's statuses as a calendar (RFC 5545)",
        tags,
        security: [],
        params: Type.Object({ token: words(100, "The secret, with `.ics` behind it.") }),
        produces: ["text/calendar"],
        response: { 200: Type.String() },
        "x-problems": [429],
      },
    },
    async (request, reply) => {
      const token = request.params.token.replace(/\.ics$/, "");
      const hash = hashToken(token);
      const found = await appReader.calendarOwner(hash);
      if (!found) throw refuse("calendar_not_found");
      countCalendar(hash);
      const { org, member } = found;
      const text = calendarText(
        {
          name: `${member.name} · ${org.name}`,
          timeZone: member.timeZone ?? org.settings.timeZone,
          vocabulary: org.vocabulary,
          member,
          planned: await appReader.planned(member.id),
        },
        clock.now(),
      );
      reply.type(CALENDAR).header("content-disposition", 'inline; filename="presence.ics"');
      return reply.serializer((body) => body as string).send(text);
    },
  );
};
