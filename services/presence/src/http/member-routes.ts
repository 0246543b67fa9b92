import type { FastifyRequest } from "fastify";
import { avatarUrlOf } from "../domain/avatar-url.ts";
import { findMember, memberView, setExternalRef } from "../domain/member.ts";
import { projectView } from "../domain/project.ts";
import type { MemberRecord } from "../domain/records.ts";
import { Member, Project } from "../domain/resources.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { visitorOf } from "./gate.ts";
import { ADDRESSES, addressOf } from "./member-address.ts";
import { ExternalRefBody, OrgParams, PageQuery } from "./requests.ts";
import { DEFAULT_LIMIT, type Routes } from "./routes.ts";
import { pageOf, ref } from "./schema-reference.ts";

export function memberRoutes({ app, desk, reader, clock, avatarUrl }: Routes): void {
  const viewsOf = async (request: FastifyRequest) => {
    const { holder, integration } = visitorOf(request);
    const vocabulary = await reader.vocabulary(holder.org.id);
    return (member: MemberRecord) =>
      memberView(vocabulary, member, integration.name, avatarUrlOf(avatarUrl, member.email), clock.now());
  };

  app.get(
    "/members",
    {
      config: { needs: [["members:read"]] },
      schema: {
        operationId: "listMembers",
        tags: ["members"],
        summary: "Members, with the caller's own references",
        params: OrgParams,
        querystring: PageQuery,
        response: { 200: pageOf(Member) },
        "x-problems": [],
      },
    },
    async (request) => {
      const { cursor, limit = DEFAULT_LIMIT } = request.query;
      const after = cursor === undefined ? "" : decodeCursor(cursor, ["string"])[0];
      const { items, more } = await reader.members(visitorOf(request).holder.org.id, after, limit);
      return {
        data: items.map(await viewsOf(request)),
        nextCursor: more ? encodeCursor([items.at(-1)?.id ?? ""]) : null,
      };
    },
  );

  app.get(
    "/projects",
    {
      config: { needs: [["projects:read"]] },
      schema: {
        operationId: "listProjects",
        tags: ["projects"],
        summary: "Projects",
        params: OrgParams,
        querystring: PageQuery,
        response: { 200: pageOf(Project) },
        "x-problems": [],
      },
    },
    async (request) => {
      const { cursor, limit = DEFAULT_LIMIT } = request.query;
      const after = cursor === undefined ? "" : decodeCursor(cursor, ["string"])[0];
      const { items, more } = await reader.projects(visitorOf(request).holder.org.id, after, limit);
      return {
        data: items.map(projectView),
        nextCursor: more ? encodeCursor([items.at(-1)?.id ?? ""]) : null,
      };
    },
  );

  for (const { path, params, suffix, how } of ADDRESSES) {
    const common = { tags: ["members"], params };
    app.get(
      path,
      {
        config: { needs: [["members:read"]] },
        schema: {
          ...common,
          operationId: `getMember${suffix}`,
          summary: `A member, ${how}`,
          response: { 200: ref(Member) },
          "x-problems": [],
        },
      },
      async (request) => {
        const { holder, integration } = visitorOf(request);
        const member = await reader.member(holder.org.id, integration.id, addressOf(request.params));
        return (await viewsOf(request))(member);
      },
    );

    app.put(
      `${path}/external-ref`,
      {
        config: { needs: [["members:read"], ["status:write", "todos:write"]] },
        schema: {
          ...common,
          operationId: `setExternalRef${suffix}`,
          summary: `Set the caller's own reference for a member, ${how}`,
          body: ExternalRefBody,
          response: { 200: ref(Member) },
          "x-problems": [409],
        },
      },
      async (request) => {
        const visitor = visitorOf(request);
        const member = await desk.change(visitor.holder.org.id, visitor.actor, async (unit) => {
          const found = await findMember(unit, addressOf(request.params));
          return setExternalRef(unit, visitor.integration, found, request.body.externalRef);
        });
        return (await viewsOf(request))(member);
      },
    );
  }
}
