import { callerOf } from "@frontdesk/signin/session-gate";
import { Type } from "typebox";
import { avatarUrlOf } from "../domain/avatar-url.ts";
import { boardMember, orgView } from "../domain/board.ts";
import { isoTime } from "../domain/clock-text.ts";
import { changeProfile, memberById } from "../domain/member.ts";
import { nextEnd } from "../domain/status.ts";
import { boardStatus } from "../domain/status-kind.ts";
import { undoIdOf } from "../domain/undo.ts";
import { memberFrame, revisedFrame } from "./app-frames.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { Board, BoardMember, ProfilePatch } from "./app-schemas.ts";
import { placeOf } from "./app-streams.ts";
import { createCommonTexts, sendTogether } from "./common-texts.ts";
import { OrgParams } from "./requests.ts";
import { sessionBounds } from "./stream-bounds.ts";

const tags = ["Board"];

export const StreamQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The `sequence` of the board. `Last-Event-ID` goes before it.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const EventStream = Type.String({ description: "Server-sent events (`text/event-stream`)." });

/** Everyone's status, as it is and as it changes. */
export const appBoardRoutes: AppRoutes = (app, parts) => {
  const { appReader, reader, desk, clock, avatarUrl, streams } = parts;
  const commonTexts = createCommonTexts(clock.now);

  app.get(
    "/orgs/:org/board",
    {
      schema: { summary: "Everyone and their status", tags, params: OrgParams, response: { 200: Board } },
    },
    async (request, reply) => {
      const { org, member: me } = colleagueOf(request);
      // Before the members: what happens meanwhile is told by the stream once more, and changes nothing then.
      const { last } = await reader.eventRange(org.id);
      const common = await commonTexts(org.id, `${last} ${org.revision}`, async () => {
        const members = await appReader.memberList(org.id);
        const now = clock.now();
        const board = {
          sequence: last,
          revision: org.revision,
          org: orgView(org.slug, org.settings),
          statuses: org.vocabulary.map(boardStatus),
          members: members.map((member) =>
            boardMember(org.vocabulary, member, avatarUrlOf(avatarUrl, member.email), now),
          ),
        };
        return { text: JSON.stringify(board), until: nextEnd(members, now) };
      });
      const { follows, undo } = await appReader.memberSettings(me.id);
      const own = {
        now: isoTime(clock.now()),
        me: { id: me.id, role: me.role, follows: [...follows], undo: undoIdOf(undo, me, org.vocabulary) },
      };
      return sendTogether(reply, own, common) as never;
    },
  );

  app.get(
    "/orgs/:org/stream",
    {
      exposeHeadRoute: false,
      schema: {
        summary: "Changes as they happen",
        description:
          "Server-sent events: `hello`, `status`, `member`, `left`, `todo`, `todo-gone`, `project`, `revised`, `changed`, `alive`, `reset`. The id is the organisation's sequence, and moves past what the caller may not see.",
        tags,
        params: OrgParams,
        querystring: StreamQuery,
        produces: ["text/event-stream"],
        response: { 200: EventStream },
        "x-problems": [429],
      },
    },
    async (request, reply) => {
      const { org, member, sessionId } = colleagueOf(request);
      const { last } = await reader.eventRange(org.id);
      const readMember = async (id: string) => {
        const [found, current] = [await appReader.memberById(org.id, id), await appReader.org(org.id)];
        return (
          found &&
          current &&
          boardMember(current.vocabulary, found, avatarUrlOf(avatarUrl, found.email), clock.now())
        );
      };
      streams.open(request, reply, {
        orgId: org.id,
        place: { after: placeOf(request, request.query.after, last), since: member.joinedAt },
        bounds: sessionBounds(callerOf(request).accountId, sessionId),
        version: parts.version,
        frame: (event) => memberFrame(event, member.id, readMember),
        revised: (step) => revisedFrame(step, readMember),
        viewer: member.id,
        ended: async () => {
          const stays =
            (await parts.isSessionLive(sessionId)) && (await appReader.memberById(org.id, member.id));
          return stays ? undefined : ": signed out\n\n";
        },
      });
      return reply;
    },
  );

  app.patch(
    "/orgs/:org/me",
    {
      schema: {
        summary: "Change one's own name or time zone",
        tags,
        params: OrgParams,
        body: ProfilePatch,
        response: { 200: BoardMember },
      },
    },
    async (request) => {
      const { org, member, actor } = colleagueOf(request);
      const { body } = request;
      return desk.change(org.id, actor, async (unit) => {
        const changed = await changeProfile(unit, await memberById(unit, member.id), body);
        return boardMember(unit.org.vocabulary, changed, unit.avatarUrl(changed.email), unit.now);
      });
    },
  );
};
