import { errorReply, type HttpServer } from "@frontdesk/kit/http-server";
import { displayName } from "../domain/accounts.ts";
import { identityHash } from "../domain/email-address.ts";
import type { ApiParts } from "./api.ts";
import { Identity } from "./api-schemas.ts";
import { callerOf } from "./session-gate.ts";

export function meRoutes(app: HttpServer, { accounts, isAdmin }: ApiParts): void {
  app.get(
    "/me",
    {
      schema: {
        summary: "Who is signed in",
        tags: ["Account"],
        response: { 200: Identity, 401: errorReply("`no_session`") },
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
          id: account.id,
          email: account.primaryEmail,
          hash: identityHash(account.primaryEmail),
        },
        emails,
        is_admin: await isAdmin(account.id),
      };
    },
  );
}
