import type { FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { keyAfterwards } from "../domain/after-closing.ts";
import { boardMember } from "../domain/board.ts";
import { isoTime } from "../domain/clock-text.ts";
import { refuse } from "../domain/codes.ts";
import { memberById } from "../domain/member.ts";
import { plannedView, planStatus, unplanStatus } from "../domain/planned-status.ts";
import type { MemberRecord } from "../domain/records.ts";
import { clearStatus, definitionOf, setStatus } from "../domain/status.ts";
import { endOf, offeredEnds } from "../domain/status-end.ts";
import { changeUndoably, type UndoableChange, undoStatus } from "../domain/undo.ts";
import type { Unit } from "../domain/unit.ts";
import { zoneOf } from "../domain/weekly-time.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import {
  Ends,
  Planned,
  PlannedBody,
  PlannedList,
  SetStatusBody,
  StatusChanged,
  UndoBody,
} from "./app-schemas.ts";
import { OrgParams, words } from "./requests.ts";

const tags = ["Statuses"];

export const IdParams = Type.Object({ org: words(63), id: words(100) });

/** Whose status it is: one's own, or somebody else's by the id in the path. */
const WHOSE = [
  { path: "/orgs/:org/me", params: OrgParams, whose: "one's own status" },
  {
    path: "/orgs/:org/members/:id",
    params: IdParams,
    whose: "a member's status, which is shown as set by the caller",
  },
] as const;

const idOf = (request: FastifyRequest): string =>
  (request.params as { id?: string }).id ?? colleagueOf(request).member.id;

async function set(
  unit: Unit,
  member: MemberRecord,
  wanted: Static<typeof SetStatusBody>,
): Promise<MemberRecord> {
  const definition = definitionOf(unit, wanted.status);
  const expiresAt = endOf(wanted.until ?? "default", definition, unit.now, await zoneOf(unit, member));
  return setStatus(unit, member, { status: wanted.status, expiresAt, note: wanted.note?.trim() || null });
}

/** Setting a status, at once and for later. */
export const appStatusRoutes: AppRoutes = (app, { desk, appReader, clock }) => {
  /** Changes a member and answers with what the board shows of them now. */
  const change = async (
    request: FastifyRequest,
    work: (unit: Unit, member: MemberRecord) => Promise<UndoableChange>,
  ) => {
    const { org, actor } = colleagueOf(request);
    return desk.change(org.id, actor, async (unit) => {
      const { member, undoId } = await work(unit, await memberById(unit, idOf(request)));
      const shown = boardMember(unit.org.vocabulary, member, unit.avatarUrl(member.email), unit.now);
      const afterwards = keyAfterwards(unit.org.vocabulary, member, await unit.settings());
      return { member: shown, undo: undoId, afterwards };
    });
  };

  for (const { path, params, whose } of WHOSE) {
    const common = { tags, params, response: { 200: StatusChanged } };
    app.put(
      `${path}/status`,
      { schema: { ...common, summary: `Set ${whose}`, body: SetStatusBody } },
      (request) =>
        change(request, (unit, member) =>
          changeUndoably(unit, member, (each) =>
            set(unit, each, request.body as Static<typeof SetStatusBody>),
          ),
        ),
    );
    app.delete(`${path}/status`, { schema: { ...common, summary: `Clear ${whose}` } }, (request) =>
      change(request, (unit, member) => changeUndoably(unit, member, (each) => clearStatus(unit, each))),
    );
    app.post(
      `${path}/status/undo`,
      {
        schema: {
          ...common,
          summary: `Take back a change of ${whose}`,
          description: "Refused where anything else has changed it since.",
          body: UndoBody,
          "x-problems": [409],
        },
      },
      (request) =>
        change(request, async (unit, member) => ({
          member: await undoStatus(unit, member, (request.body as Static<typeof UndoBody>).undo),
          undoId: null,
        })),
    );
    app.get(
      `${path}/ends`,
      { schema: { tags, params, summary: `Ends to choose for ${whose}`, response: { 200: Ends } } },
      async (request) => {
        const { org } = colleagueOf(request);
        const member = await appReader.memberById(org.id, idOf(request));
        if (!member) throw refuse("member_not_found");
        const timeZone = member.timeZone ?? org.settings.timeZone;
        const now = clock.now();
        return { now: isoTime(now), timeZone, ends: offeredEnds(now, timeZone) };
      },
    );
  }

  app.get(
    "/orgs/:org/me/planned",
    {
      schema: {
        summary: "One's planned and weekly statuses",
        tags,
        params: OrgParams,
        response: { 200: PlannedList },
      },
    },
    async (request) => {
      const now = clock.now();
      const planned = await appReader.planned(colleagueOf(request).member.id);
      return {
        data: planned.filter(({ endsAt }) => endsAt === null || endsAt > now).map(plannedView),
      };
    },
  );

  const plan = (request: FastifyRequest, wanted: Static<typeof PlannedBody>, id?: string) => {
    const { org, member, actor } = colleagueOf(request);
    return desk.change(org.id, actor, async (unit) =>
      plannedView(await planStatus(unit, await memberById(unit, member.id), wanted, id)),
    );
  };
  app.post(
    "/orgs/:org/me/planned",
    {
      schema: {
        summary: "Plan a status: once, or on a day of every week",
        tags,
        params: OrgParams,
        body: PlannedBody,
        response: { 200: Planned },
        "x-problems": [409],
      },
    },
    (request) => plan(request, request.body as Static<typeof PlannedBody>),
  );
  app.put(
    "/orgs/:org/me/planned/:id",
    {
      schema: {
        summary: "Plan it otherwise",
        tags,
        params: IdParams,
        body: PlannedBody,
        response: { 200: Planned },
      },
    },
    (request) => plan(request, request.body as Static<typeof PlannedBody>, request.params.id),
  );
  app.delete(
    "/orgs/:org/me/planned/:id",
    {
      schema: {
        summary: "Plan it no longer",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "Removed" }) },
      },
    },
    async (request, reply) => {
      const { org, member, actor } = colleagueOf(request);
      await desk.change(org.id, actor, async (unit) =>
        unplanStatus(unit, await memberById(unit, member.id), request.params.id),
      );
      return reply.code(204).send(null);
    },
  );
};
