import type { HttpServer } from "@frontdesk/kit/http-server";
import { errorReply } from "@frontdesk/kit/refusal";
import { parseEmailAddress } from "@frontdesk/signin/email-address";
import { callerOf } from "@frontdesk/signin/session-gate";
import type { ApiParts } from "./api-parts.ts";
import { EmailBody, Emails, EmailWritten, Ok, PrimaryWritten, VerifyBody } from "./api-schemas.ts";

const tags = ["E-mails"];
const REFUSED = { 400: errorReply("`invalid_email`"), 401: errorReply("`no_session`") };

export function emailRoutes(app: HttpServer, { accounts, claims }: ApiParts): void {
  app.get(
    "/me/emails",
    {
      schema: {
        summary: "The account's addresses",
        tags,
        response: { 200: Emails, 401: errorReply("`no_session`") },
      },
    },
    async (request) => {
      const account = await accounts.get(callerOf(request).accountId);
      return { emails: await accounts.emails(account) };
    },
  );
  app.post(
    "/me/emails",
    {
      schema: {
        summary: "Claim an address: a code is mailed to it",
        description: "Does nothing where the address is the caller's already.",
        tags,
        body: EmailBody,
        response: {
          200: EmailWritten,
          ...REFUSED,
          409: errorReply("`email_taken` or `too_many_emails`"),
          429: errorReply("`rate_limited`: per inbox, per account, and per network of the caller"),
          502: errorReply("`mail_failed`"),
        },
      },
    },
    async (request) => ({
      ok: true,
      email: await claims.add(callerOf(request).accountId, parseEmailAddress(request.body.email), request.ip),
    }),
  );
  app.post(
    "/me/emails/verify",
    {
      schema: {
        summary: "Verify a claim with the code from the mail",
        tags,
        body: VerifyBody,
        response: {
          200: EmailWritten,
          ...REFUSED,
          401: errorReply("`no_session`, `invalid_code`, `mfa_required` or `invalid_totp`"),
          409: errorReply("`email_taken`"),
          429: errorReply("`rate_limited`: wrong guesses, per network of the caller and per account"),
        },
      },
    },
    async (request) => {
      const { email, code, totp } = request.body;
      const { accountId } = callerOf(request);
      return {
        ok: true,
        email: await claims.verify(accountId, parseEmailAddress(email), code, totp, request.ip),
      };
    },
  );
  app.post(
    "/me/emails/primary",
    {
      schema: {
        summary: "Make a verified address the primary one",
        tags,
        body: EmailBody,
        response: { 200: PrimaryWritten, ...REFUSED, 404: errorReply("`email_not_verified`") },
      },
    },
    async (request) => {
      const promoted = await claims.promote(
        callerOf(request).accountId,
        parseEmailAddress(request.body.email),
      );
      return { ok: true, ...promoted };
    },
  );
  app.delete(
    "/me/emails",
    {
      schema: {
        summary: "Remove an address, and what its hash shows",
        tags,
        body: EmailBody,
        response: {
          200: Ok,
          ...REFUSED,
          404: errorReply("`email_not_found`"),
          409: errorReply("`primary_email`"),
        },
      },
    },
    async (request) => {
      await claims.remove(callerOf(request).accountId, parseEmailAddress(request.body.email));
      return { ok: true };
    },
  );
}
