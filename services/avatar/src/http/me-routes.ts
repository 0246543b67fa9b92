import type { HttpServer } from "@frontdesk/kit/http-server";
import { errorReply } from "@frontdesk/kit/refusal";
import { identityHash } from "@frontdesk/signin/email-address";
import { callerOf } from "@frontdesk/signin/session-gate";
import type { FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { displayName } from "../domain/accounts.ts";
import { takeTurn } from "../domain/limits.ts";
import { nameVersion } from "../domain/names.ts";
import type { ApiParts } from "./api-parts.ts";
import { EraseBody, Export, type Identity, NameBody, NameHeaders, NameSaved, Ok } from "./api-schemas.ts";

const tags = ["Account"];
const NO_SESSION = { 401: errorReply("`no_session`") };

export function meRoutes(app: HttpServer, parts: ApiParts): void {
  const { accounts, names, personalData, platform, limits, signIn } = parts;
  async function saveName(request: FastifyRequest, again: boolean) {
    const { accountId } = callerOf(request);
    await takeTurn(limits, "names", accountId);
    const { first_name, last_name = null } = request.body as Static<typeof NameBody>;
    const given = { firstName: first_name ?? "", lastName: last_name };
    const seen = again ? request.headers["if-match"]?.replace(/^"|"$/g, "") : undefined;
    const name = await names.set(accountId, given, again, seen);
    return { ok: true, first_name: name.firstName, last_name: name.lastName };
  }

  app.get(
    "/me",
    {
      schema: {
        summary: "Who is signed in",
        tags,
        response: { 200: Type.Unsafe<Static<typeof Identity>>({ $ref: "Identity#" }), ...NO_SESSION },
      },
    },
    async (request) => {
      const account = await accounts.get(callerOf(request).accountId);
      const emails = await accounts.emails(account);
      return {
        user: {
          first_name: account.firstName,
          last_name: account.lastName,
          name: displayName(account),
          name_version: nameVersion(account),
          id: account.id,
          email: account.primaryEmail,
          hash: identityHash(account.primaryEmail),
        },
        emails,
        is_admin: await platform.isAdmin(account.id),
      };
    },
  );
  app.post(
    "/me/name",
    {
      schema: {
        summary: "Say one's name, once",
        tags,
        body: NameBody,
        response: {
          200: NameSaved,
          400: errorReply("`missing_first_name`, `invalid_request` or `bad_json`"),
          ...NO_SESSION,
          409: errorReply("`name_already_set`"),
          429: errorReply("`rate_limited`"),
          502: errorReply("`directory_failed`: nothing was changed"),
        },
      },
    },
    (request) => saveName(request, false),
  );
  app.patch(
    "/me/name",
    {
      schema: {
        summary: "Change one's name",
        tags,
        headers: NameHeaders,
        body: NameBody,
        response: {
          200: NameSaved,
          400: errorReply("`missing_first_name`, `invalid_request` or `bad_json`"),
          ...NO_SESSION,
          412: errorReply("`name_changed`: it is another than the one in If-Match"),
          429: errorReply("`rate_limited`"),
          502: errorReply("`directory_failed`: nothing was changed"),
          503: errorReply("`overloaded`: another change is under way"),
        },
      },
    },
    (request) => saveName(request, true),
  );
  app.get(
    "/me/export",
    {
      schema: {
        summary: "All that is held about the account",
        tags,
        response: { 200: Export, ...NO_SESSION },
      },
    },
    async (request, reply) => {
      reply.header("content-disposition", 'attachment; filename="frontdesk-avatar.json"');
      return personalData.export(callerOf(request).accountId) as Promise<object>;
    },
  );
  app.delete(
    "/me",
    {
      schema: {
        summary: "Delete the account and all that its hashes show",
        tags,
        body: EraseBody,
        response: { 200: Ok, 400: errorReply("`not_confirmed`"), ...NO_SESSION },
      },
    },
    async (request, reply) => {
      await personalData.erase(callerOf(request).accountId, request.body.confirm);
      reply.header("set-cookie", signIn.forgetCookie());
      return { ok: true };
    },
  );
}
