import type { HttpServer } from "@frontdesk/kit/http-server";
import { errorReply } from "@frontdesk/kit/refusal";
import { Type } from "typebox";
import { Mfa, MfaBegun, MfaConfirmed, Ok, SessionsReply, TotpBody } from "./schemas.ts";
import { callerOf } from "./session-gate.ts";
import type { SignIn } from "./sign-in.ts";

const tags = ["Security"];
const NO_SESSION = { 401: errorReply("`no_session`") };
const iso = (time: number) => new Date(time).toISOString();

/** Where else one is signed in, and the second step of signing in. */
export function securityRoutes(
  app: HttpServer,
  signIn: SignIn,
  /** What an authenticator shows beside the codes of an account. */
  labelOf: (account: string) => Promise<string>,
): void {
  app.get(
    "/me/sessions",
    {
      schema: {
        summary: "Where the account is signed in",
        tags,
        response: { 200: SessionsReply, ...NO_SESSION },
      },
    },
    async (request) => {
      const { accountId, sessionId, seenAt } = callerOf(request);
      const sessions = await signIn.sessionsOf(accountId);
      return {
        sessions: sessions.map((session) => ({
          id: session.id,
          created_at: iso(session.created_at),
          last_seen_at: iso(session.id === sessionId ? seenAt : session.last_seen_at),
          user_agent: session.user_agent,
          current: session.id === sessionId,
        })),
      };
    },
  );
  app.delete(
    "/me/sessions/:id",
    {
      schema: {
        summary: "End a session",
        tags,
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Ok, ...NO_SESSION, 404: errorReply("`session_not_found`") },
      },
    },
    async (request) => {
      await signIn.endSession(callerOf(request).accountId, request.params.id);
      return { ok: true };
    },
  );

  app.get(
    "/me/mfa",
    {
      schema: {
        summary: "Whether signing in takes a second step",
        tags,
        response: { 200: Mfa, ...NO_SESSION },
      },
    },
    async (request) => {
      const status = await signIn.factorStatus(callerOf(request).accountId);
      return { enabled: status.enabled, recovery_codes_left: status.recoveryCodesLeft };
    },
  );
  app.post(
    "/me/mfa/totp",
    {
      schema: {
        summary: "Begin: a secret for the authenticator",
        tags,
        response: {
          200: MfaBegun,
          ...NO_SESSION,
          409: errorReply("`mfa_already_on`"),
          429: errorReply("`rate_limited`"),
        },
      },
    },
    async (request) => {
      const { accountId, sessionId } = callerOf(request);
      return signIn.beginFactor(accountId, sessionId, await labelOf(accountId));
    },
  );
  app.post(
    "/me/mfa/totp/confirm",
    {
      schema: {
        summary: "Turn it on with a first code; answers with the recovery codes, shown this once",
        description: "Every other session of the account ends.",
        tags,
        body: TotpBody,
        response: {
          200: MfaConfirmed,
          401: errorReply("`no_session` or `invalid_totp`"),
          409: errorReply("`mfa_already_on` or `mfa_not_begun`"),
          429: errorReply("`rate_limited`"),
        },
      },
    },
    async (request) => {
      const { accountId, sessionId } = callerOf(request);
      const recovery_codes = await signIn.confirmFactor(accountId, sessionId, request.body.totp);
      return { ok: true, recovery_codes };
    },
  );
  app.delete(
    "/me/mfa/totp",
    {
      schema: {
        summary: "Turn it off, with a code or a recovery code",
        tags,
        body: TotpBody,
        response: {
          200: Ok,
          401: errorReply("`no_session` or `invalid_totp`"),
          409: errorReply("`mfa_not_on`"),
          429: errorReply("`rate_limited`"),
        },
      },
    },
    async (request) => {
      const { accountId, sessionId } = callerOf(request);
      await signIn.removeFactor(accountId, sessionId, request.body.totp);
      return { ok: true };
    },
  );
}
