import { sourceNetwork } from "@frontdesk/signin/source-network";
import { Type } from "typebox";
import { VISITOR } from "../domain/actor.ts";
import { avatarUrlOf } from "../domain/avatar-url.ts";
import { isoTime, isoTimeOrNull } from "../domain/clock-text.ts";
import { refuse } from "../domain/codes.ts";
import type { Org, ShareLinkRecord } from "../domain/records.ts";
import { isOpen, openShareLink } from "../domain/share-link.ts";
import { sharedMember, sharedTodo } from "../domain/shared-board.ts";
import { nextEnd } from "../domain/status.ts";
import { boardStatus } from "../domain/status-kind.ts";
import { todoView } from "../domain/todo.ts";
import { hashToken } from "../domain/token.ts";
import { EventStream, StreamQuery } from "./app-board-routes.ts";
import type { AppRoutes } from "./app-parts.ts";
import { frameOf, placeOf } from "./app-streams.ts";
import { Shared } from "./app-task-schemas.ts";
import { createCommonTexts, sendTogether } from "./common-texts.ts";
import { words } from "./requests.ts";
import { sharedFrame, sharedRevisedFrame } from "./shared-frames.ts";
import { guestBounds } from "./stream-bounds.ts";

const common = { tags: ["Shared"], security: [] };
const MAX_TODOS = 1_000;
const FACE_SECONDS = 300;

const TokenParams = Type.Object({ token: words(100, "The secret in the link's address.") });
const FaceParams = Type.Object({ token: words(100), id: words(100) });

/** What people without an account see through a share link. */
export const appSharedRoutes: AppRoutes = (app, parts) => {
  const { appReader, reader, desk, clock, sharedIds, streams } = parts;
  const commonTexts = createCommonTexts(clock.now);

  const linkOf = async (token: string) => {
    const found = await appReader.shareLink(hashToken(token));
    if (!found || !isOpen(found.link, clock.now())) throw refuse("share_link_not_found");
    const org = await appReader.org(found.orgId);
    if (!org) throw refuse("share_link_not_found");
    return { link: found.link, org };
  };

  /** What is open comes before what is done, and what was done last before the rest, where there are too many. */
  const orderOf = (done: boolean) => (done ? "done" : "position");
  const todosOf = async (orgId: string, project: string) => {
    const read = (done: boolean, limit: number) =>
      limit === 0
        ? { items: [] }
        : appReader.todosOf(
            orgId,
            { project, archived: false, done, order: orderOf(done) },
            undefined,
            limit,
          );
    const { items: open } = await read(false, MAX_TODOS);
    const { items: done } = await read(true, MAX_TODOS - open.length);
    return [...open, ...done];
  };

  /** A project's link shows those who have a TODO there, and nobody else. */
  const isShown = async (link: ShareLinkRecord, orgId: string, member: string) => {
    if (link.kind !== "project" || link.projectId === null) return link.kind !== "project";
    const filter = { project: link.projectId, member, archived: false };
    return (await appReader.todosOf(orgId, filter, undefined, 1)).items.length > 0;
  };

  /** What all who come by the link are shown. */
  const shown = async (link: ShareLinkRecord, org: Org, token: string, sequence: number) => {
    const project = link.projectId === null ? undefined : await appReader.project(org.id, link.projectId);
    const todos = link.projectId === null ? [] : await todosOf(org.id, link.projectId);
    const owners = new Set(todos.map(({ memberId }) => memberId));
    const members = (await appReader.memberList(org.id)).filter(
      ({ id }) => link.kind !== "project" || owners.has(id),
    );
    const now = clock.now();
    const shared = {
      sequence,
      revision: org.revision,
      kind: link.kind,
      name: link.name,
      org: { name: org.name, timeZone: org.settings.timeZone },
      expiresAt: isoTimeOrNull(link.expiresAt),
      version: parts.version,
      statuses: org.vocabulary.map(boardStatus),
      members: members.map((member) => sharedMember(org.vocabulary, member, link, token, sharedIds, now)),
      project: project ? { name: project.name, archived: project.archived } : null,
      todos: todos.map((todo) => sharedTodo(todoView(todo), link, sharedIds)),
    };
    return { text: JSON.stringify(shared), until: nextEnd(members, now) };
  };

  app.get(
    "/shared/:token",
    {
      schema: {
        ...common,
        summary: "The board, wall or project behind a share link",
        params: TokenParams,
        response: { 200: Shared },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const { link, org } = await linkOf(token);
      const { last } = await reader.eventRange(org.id);
      const common = await commonTexts(link.id, `${last} ${org.revision}`, () =>
        shown(link, org, token, last),
      );
      return sendTogether(reply, { now: isoTime(clock.now()) }, common) as never;
    },
  );

  app.post(
    "/shared/:token/access",
    {
      schema: {
        ...common,
        summary: "A person has opened the link",
        description: "Told by `share_link.accessed` once for each visitor and hour.",
        params: TokenParams,
        response: { 204: Type.Null({ description: "Noted" }) },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const { link, org } = await linkOf(token);
      // Nobody is known by more than where they come from and with what.
      const visitor = { address: request.ip, userAgent: request.headers["user-agent"] ?? "" };
      if (await parts.isNewVisit(link.id, visitor))
        await desk.change(org.id, VISITOR, (unit) => openShareLink(unit, token));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/shared/:token/stream",
    {
      exposeHeadRoute: false,
      schema: {
        ...common,
        summary: "Changes as they happen, as a share link shows them",
        description:
          "Server-sent events: `hello`, `status`, `member`, `left`, `todo`, `todo-gone`, `revised`, `changed`, `alive`, `reset`, and `revoked` at the end.",
        params: TokenParams,
        querystring: StreamQuery,
        produces: ["text/event-stream"],
        response: { 200: EventStream },
        "x-problems": [429],
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const { link, org } = await linkOf(token);
      const { last } = await reader.eventRange(org.id);
      const readMember = async (id: string) => {
        if (!(await isShown(link, org.id, id))) return undefined;
        const [member, current] = [await appReader.memberById(org.id, id), await appReader.org(org.id)];
        return (
          member && current && sharedMember(current.vocabulary, member, link, token, sharedIds, clock.now())
        );
      };
      streams.open(request, reply, {
        orgId: org.id,
        place: { after: placeOf(request, request.query.after, last), since: link.createdAt },
        bounds: guestBounds(org.id, link.id, sourceNetwork(request.ip).host),
        version: parts.version,
        frame: (event) => sharedFrame(event, link, token, sharedIds),
        revised: (step) => sharedRevisedFrame(step, link, readMember),
        ended: async () => {
          const now = await appReader.shareLink(hashToken(token));
          return now && isOpen(now.link, clock.now()) ? undefined : frameOf("revoked", {});
        },
      });
      return reply;
    },
  );

  app.get(
    "/shared/:token/faces/:id",
    {
      schema: {
        ...common,
        summary: "A member's face, without the address that it is kept under",
        params: FaceParams,
        produces: ["image/*"],
        response: { 200: Type.String({ description: "A picture." }) },
      },
    },
    async (request, reply) => {
      const { token, id } = request.params;
      const { link, org } = await linkOf(token);
      const memberId = sharedIds.find(link.id, id);
      const isSeen = memberId && (await isShown(link, org.id, memberId));
      const member = isSeen && (await appReader.memberById(org.id, memberId));
      const face = member && (await parts.face(avatarUrlOf(parts.avatarUrl, member.email)));
      if (!face) throw refuse("member_not_found");
      reply.header("cache-control", `private, max-age=${FACE_SECONDS}`).type(face.type);
      return reply.serializer((bytes) => bytes as never).send(Buffer.from(face.bytes) as never);
    },
  );
};
