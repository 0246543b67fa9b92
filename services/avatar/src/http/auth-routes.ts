import { errorReply, type HttpServer } from "@frontdesk/kit/http-server";
import { parseEmailAddress } from "../domain/email-address.ts";
import type { ApiParts } from "./api.ts";
import { EmailBody, Ok, VerifyBody } from "./api-schemas.ts";
import { callerOf } from "./session-gate.ts";

/** Signing in: open to all. */
export function authRoutes(app: HttpServer, { signIn }: ApiParts): void {
  app.post(
    "/auth/code",
    {
      schema: {
        summary: "Mail a sign-in code",
        description: "Answers alike whether an account knows the address or not.",
        tags: ["Sign-in"],
        body: EmailBody,
        response: {
          200: Ok,
          400: errorReply("`invalid_email`"),
          429: errorReply("`rate_limited`: per inbox and per caller"),
          502: errorReply("`mail_failed`"),
        },
      },
    },
    async (request) => {
      await signIn.sendCode(parseEmailAddress(request.body.email), request.ip);
      return { ok: true };
    },
  );
  app.post(
    "/auth/verify",
    {
      schema: {
        summary: "Exchange a code for a session",
        description: "Sets the cookie `avatar_session`. The first time, it creates the account.",
        tags: ["Sign-in"],
        body: VerifyBody,
        response: {
          200: Ok,
          400: errorReply("`invalid_email`"),
          401: errorReply("`invalid_code`, `mfa_required` or `invalid_totp`"),
        },
      },
    },
    async (request, reply) => {
      const { email, code, totp } = request.body;
      const userAgent = request.headers["user-agent"] ?? "";
      reply.header("set-cookie", await signIn.verify(parseEmailAddress(email), code, totp, userAgent));
      return { ok: true };
    },
  );
}

/** Signing out, here and everywhere. */
export function sessionRoutes(app: HttpServer, { ledger, sessions }: ApiParts): void {
  const out = { tags: ["Sign-in"], response: { 200: Ok, 401: errorReply("`no_session`") } };
  app.post("/auth/logout", { schema: { summary: "Sign out", ...out } }, async (request, reply) => {
    const { accountId, sessionId } = callerOf(request);
    await ledger.change((rows) => rows.sessions.remove(accountId, sessionId));
    reply.header("set-cookie", sessions.forget());
    return { ok: true };
  });
  app.post(
    "/auth/logout-everywhere",
    { schema: { summary: "Sign out of every session", ...out } },
    async (request, reply) => {
      await ledger.change((rows) => rows.sessions.removeAll(callerOf(request).accountId));
      reply.header("set-cookie", sessions.forget());
      return { ok: true };
    },
  );
}
