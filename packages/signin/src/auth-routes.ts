import type { HttpServer } from "@frontdesk/kit/http-server";
import { errorReply } from "@frontdesk/kit/refusal";
import type { FastifyRequest } from "fastify";
import { parseEmailAddress } from "./email-address.ts";
import { EmailBody, Ok, SignedIn, VerifyBody } from "./schemas.ts";
import { callerOf } from "./session-gate.ts";
import type { SignIn, Source } from "./sign-in.ts";

const tags = ["Sign-in"];

export const sourceOf = (request: FastifyRequest): Source => ({
  address: request.ip,
  userAgent: request.headers["user-agent"] ?? "",
  cookie: request.headers.cookie,
});

/** Signing in: open to all. */
export function authRoutes(
  app: HttpServer,
  signIn: SignIn,
  { cookie, now }: { cookie: string; now: () => number },
): void {
  app.get(
    "/auth/session",
    {
      schema: {
        summary: "Whether the caller has a session",
        description: "For pages that ask before anybody has signed in: no session is no error here.",
        tags,
        security: [],
        response: { 200: SignedIn },
      },
    },
    async (request) => ({ signed_in: Boolean(await signIn.find(request.headers.cookie, now())) }),
  );
  app.post(
    "/auth/code",
    {
      schema: {
        summary: "Mail a sign-in code",
        description: "Answers alike whether an account knows the address or not.",
        tags,
        security: [],
        body: EmailBody,
        response: {
          200: Ok,
          400: errorReply("`invalid_email`"),
          429: errorReply("`rate_limited`: per inbox, and per address and network of the caller"),
          502: errorReply("`mail_failed`"),
        },
      },
    },
    async (request) => {
      await signIn.sendCode(parseEmailAddress(request.body.email), sourceOf(request));
      return { ok: true };
    },
  );
  app.post(
    "/auth/verify",
    {
      schema: {
        summary: "Exchange a code for a session",
        description: `Sets the cookie \`${cookie}\`. The first time, it creates the account.`,
        tags,
        security: [],
        body: VerifyBody,
        response: {
          200: Ok,
          400: errorReply("`invalid_email`"),
          401: errorReply("`invalid_code`, `mfa_required` or `invalid_totp`"),
          429: errorReply(
            "`rate_limited`: wrong guesses, per address and network of the caller and per account",
          ),
        },
      },
    },
    async (request, reply) => {
      const { email, code, totp } = request.body;
      const cookies = await signIn.verify(parseEmailAddress(email), { code, totp }, sourceOf(request));
      reply.header("set-cookie", cookies);
      return { ok: true };
    },
  );
}

/** Signing out, here and everywhere. */
export function sessionRoutes(app: HttpServer, signIn: SignIn): void {
  const out = { tags, response: { 200: Ok, 401: errorReply("`no_session`") } };
  app.post("/auth/logout", { schema: { summary: "Sign out", ...out } }, async (request, reply) => {
    const { accountId, sessionId } = callerOf(request);
    await signIn.signOut(accountId, sessionId);
    reply.header("set-cookie", signIn.forgetCookie());
    return { ok: true };
  });
  app.post(
    "/auth/logout-everywhere",
    { schema: { summary: "Sign out of every session", ...out } },
    async (request, reply) => {
      await signIn.signOutEverywhere(callerOf(request).accountId);
      reply.header("set-cookie", signIn.forgetCookie());
      return { ok: true };
    },
  );
}
