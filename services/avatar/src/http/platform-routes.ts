import type { HttpServer } from "@frontdesk/kit/http-server";
import { errorReply } from "@frontdesk/kit/refusal";
import { parseEmailAddress } from "@frontdesk/signin/email-address";
import { callerOf } from "@frontdesk/signin/session-gate";
import { Type } from "typebox";
import { takeTurn } from "../domain/limits.ts";
import type { ApiParts } from "./api-parts.ts";
import { Admins, EmailBody, Granted, MetricsReply, Ok } from "./api-schemas.ts";

const tags = ["Platform"];
const FOR_ADMINS = { 401: errorReply("`no_session`"), 403: errorReply("`not_admin`") };

export function platformRoutes(app: HttpServer, { platform, limits }: ApiParts): void {
  const mustBeAdmin = async (request: Parameters<typeof callerOf>[0]) =>
    platform.mustBeAdmin(callerOf(request).accountId);
  // Before the body is read, so that who is no admin learns nothing but that; and once it has come.
  const gate = { onRequest: mustBeAdmin, preHandler: mustBeAdmin };

  app.get(
    "/platform/admins",
    { ...gate, schema: { summary: "Who is an admin", tags, response: { 200: Admins, ...FOR_ADMINS } } },
    async () => ({ admins: await platform.admins() }),
  );
  app.post(
    "/platform/admins",
    {
      ...gate,
      schema: {
        summary: "Make the account that has verified an address an admin",
        tags,
        body: EmailBody,
        response: {
          200: Granted,
          400: errorReply("`invalid_email`"),
          ...FOR_ADMINS,
          404: errorReply("`no_account`"),
          429: errorReply("`rate_limited`"),
        },
      },
    },
    async (request) => {
      await takeTurn(limits, "grants", callerOf(request).accountId);
      return { ok: true, admin: await platform.grant(parseEmailAddress(request.body.email)) };
    },
  );
  app.delete(
    "/platform/admins/:userId",
    {
      ...gate,
      schema: {
        summary: "Take an admin's rights away",
        tags,
        params: Type.Object({ userId: Type.String({ maxLength: 64 }) }),
        response: {
          200: Ok,
          400: errorReply("`cannot_revoke_self`"),
          ...FOR_ADMINS,
          404: errorReply("`admin_not_found`"),
          409: errorReply("`admin_by_setting`"),
        },
      },
    },
    async (request) => {
      await platform.revoke(request.params.userId, callerOf(request).accountId);
      return { ok: true };
    },
  );
  app.get(
    "/platform/metrics",
    {
      ...gate,
      schema: { summary: "Counts over all accounts", tags, response: { 200: MetricsReply, ...FOR_ADMINS } },
    },
    async () => platform.metrics() as never,
  );
}
