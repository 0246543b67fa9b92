import { errorReply, type HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import { refuse } from "../domain/errors.ts";
import { takeTurn } from "../domain/limits.ts";
import type { ApiParts } from "./api.ts";
import { Mfa, MfaBegun, MfaConfirmed, Ok, SessionsReply, TotpBody } from "./api-schemas.ts";
import { callerOf } from "./session-gate.ts";

const tags = ["Security"];
const NO_SESSION = { 401: errorReply("`no_session`") };
const iso = (time: number) => new Date(time).toISOString();

/** Where else one is signed in, and the second step of signing in. */
export function securityRoutes(app: HttpServer, { accounts, ledger, factor, limits }: ApiParts): void {
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
      const { accountId, sessionId } = callerOf(request);
      const sessions = await ledger.read.sessions.ofSubject(accountId);
      return {
        sessions: sessions.map((session) => ({
          id: session.id,
          created_at: iso(session.created_at),
          last_seen_at: iso(session.last_seen_at),
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
      const { accountId } = callerOf(request);
      if (!(await ledger.change((rows) => rows.sessions.remove(accountId, request.params.id))))
        throw refuse("session_not_found");
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
      const status = await factor.status(ledger.read.factors, callerOf(request).accountId);
      return { enabled: status.enabled, recovery_codes_left: status.recoveryCodesLeft };
    },
  );
  app.post(
    "/me/mfa/totp",
    {
      schema: {
        summary: "Begin: a secret for the authenticator",
        tags,
        response: { 200: MfaBegun, ...NO_SESSION, 409: errorReply("`mfa_already_on`") },
      },
    },
    async (request) => {
      const account = await accounts.get(callerOf(request).accountId);
      const begun = await ledger.change((rows) =>
        factor.begin(rows.factors, account.id, account.primaryEmail),
      );
      if (!begun) throw refuse("mfa_already_on");
      return begun;
    },
  );
  app.post(
    "/me/mfa/totp/confirm",
    {
      schema: {
        summary: "Turn it on with a first code; answers with the recovery codes, shown this once",
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
      const { accountId } = callerOf(request);
      await takeTurn(limits, "factor_tries", accountId);
      const recovery_codes = await ledger.change(async ({ factors }) => {
        const begun = await factors.find(accountId);
        if (!begun) throw refuse("mfa_not_begun");
        if (begun.confirmed_at) throw refuse("mfa_already_on");
        return factor.confirm(factors, accountId, request.body.totp);
      });
      if (!recovery_codes) throw refuse("invalid_totp");
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
      const { accountId } = callerOf(request);
      await takeTurn(limits, "factor_tries", accountId);
      await ledger.change(async ({ factors }) => {
        const row = await factors.find(accountId);
        if (!row?.confirmed_at) throw refuse("mfa_not_on");
        if ((await factor.check(factors, accountId, request.body.totp)) !== "passed")
          throw refuse("invalid_totp");
        await factor.remove(factors, accountId);
      });
      return { ok: true };
    },
  );
}
