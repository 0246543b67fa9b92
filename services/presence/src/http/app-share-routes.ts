import type { Static } from "typebox";
import { Type } from "typebox";
import { isoTime, isoTimeOrNull } from "../domain/clock-text.ts";
import type { ShareLinkRecord } from "../domain/records.ts";
import { createShareLink, isOpen, revokeShareLink } from "../domain/share-link.ts";
import { timeOf } from "../domain/status-end.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { IdParams } from "./app-status-routes.ts";
import { NewShareLink, ShareLinkList, ShareLinkMade, type ShareLinkView } from "./app-task-schemas.ts";
import { OrgParams } from "./requests.ts";

const tags = ["Share links"];

const linkView = (link: ShareLinkRecord): ShareLinkView => ({
  id: link.id,
  kind: link.kind,
  projectId: link.projectId,
  name: link.name,
  creator: link.creator,
  createdAt: isoTime(link.createdAt),
  expiresAt: isoTimeOrNull(link.expiresAt),
  accessedAt: isoTimeOrNull(link.accessedAt),
});

/** Making and revoking share links. */
export const appShareRoutes: AppRoutes = (app, { desk, appReader, clock, publicUrl }) => {
  app.get(
    "/orgs/:org/share-links",
    {
      schema: {
        summary: "The share links that still open something, newest first",
        tags,
        params: OrgParams,
        response: { 200: ShareLinkList },
      },
    },
    async (request) => {
      const links = await appReader.shareLinks(colleagueOf(request).org.id);
      return { data: links.filter((link) => isOpen(link, clock.now())).map(linkView) };
    },
  );

  app.post(
    "/orgs/:org/share-links",
    {
      schema: {
        summary: "Make a share link; its address is shown this once",
        tags,
        params: OrgParams,
        body: NewShareLink,
        response: { 201: ShareLinkMade },
        "x-problems": [409],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      const { expiresAt, ...wanted } = request.body as Static<typeof NewShareLink>;
      const { token, link } = await desk.change(org.id, actor, (unit) =>
        createShareLink(unit, { ...wanted, expiresAt: expiresAt ? timeOf(expiresAt, "expiresAt") : null }),
      );
      return reply.code(201).send({ link: linkView(link), url: `${publicUrl}/s/${token}` });
    },
  );

  app.delete(
    "/orgs/:org/share-links/:id",
    {
      schema: {
        summary: "Revoke a share link; streams that it has opened end",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "Revoked" }) },
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => revokeShareLink(unit, request.params.id));
      return reply.code(204).send(null);
    },
  );
};
