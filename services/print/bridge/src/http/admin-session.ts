import type { TLSSocket } from "node:tls";
import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type AdminSessions, SESSION_LIFE_MS } from "../domain/admin-sessions.ts";
import type { Actor } from "../domain/audit.ts";
import { BridgeError } from "../domain/errors.ts";
import { bearer } from "./callers.ts";

/** Of what a browser says it is, in the audit log. */
const MAX_BROWSER_CHARACTERS = 300;
const SAFE_METHODS = new Set(["GET", "HEAD"]);

const isSecure = (request: FastifyRequest) => (request.raw.socket as TLSSocket).encrypted === true;

/** Two names, because a browser does not let a plain page replace the cookie of a secure one. */
const cookieName = (request: FastifyRequest) =>
  isSecure(request) ? "__Host-frontdesk_print" : "frontdesk_print";

function cookie(request: FastifyRequest, value: string, seconds: number): string {
  const secure = isSecure(request) ? "; Secure" : "";
  return `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

function sessionOf(request: FastifyRequest): string | undefined {
  const start = `${cookieName(request)}=`;
  return (request.headers.cookie ?? "")
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(start))
    ?.slice(start.length);
}

/** What the page keeps for itself; where no header can be sent (events, pictures) it stands in the address. */
function pageKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers["x-frontdesk-page-key"];
  const { page_key: inAddress } = request.query as { page_key?: unknown };
  const key = header ?? (SAFE_METHODS.has(request.method) ? inAddress : undefined);
  return typeof key === "string" && key.length <= 200 ? key : undefined;
}

/** A page of another origin never passes, whatever it holds. */
function assertOwnPage(request: FastifyRequest): void {
  const { origin, host } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) {
    throw new BridgeError("ORIGIN_DENIED", "The administration is not open to pages of other origins.");
  }
}

/**
 * Only the administrator passes: a program with the token, or a browser that signed in with it. Other
 * services on this machine are the same site to a browser, so a write with a cookie has to say that it
 * comes from our own page.
 */
export function assertAdmin(request: FastifyRequest, sessions: AdminSessions): void {
  assertOwnPage(request);
  const token = bearer(request);
  if (token !== undefined) {
    if (sessions.isAdminToken(token)) return;
    throw new BridgeError("AUTH_INVALID", "This is not the administrator's token.");
  }
  const session = sessionOf(request);
  if (session === undefined || !sessions.has(session, pageKeyOf(request)))
    throw new BridgeError("AUTH_REQUIRED", "Sign in, or send the administrator's token as a bearer token.");
  const site = request.headers["sec-fetch-site"];
  const says = request.headers.origin !== undefined || site === "same-origin";
  if (!SAFE_METHODS.has(request.method) && !says)
    throw new BridgeError("ORIGIN_DENIED", "A signed-in browser writes only from the bridge's own pages.");
}

/** Who makes a request that has passed: one with both is judged by its token. */
export const actorOf = (request: FastifyRequest, sessions: AdminSessions): Actor =>
  bearer(request) === undefined ? sessions.actorOf(sessionOf(request) ?? "") : "token";

/** The way in with the administrator's token, and the way out. */
export function addSessionRoutes(app: HttpServer, sessions: AdminSessions): void {
  const SignedIn = Type.Object({ signedIn: Type.Boolean() });
  app.get(
    "/session",
    { schema: { summary: "Whether this browser is signed in", response: { 200: SignedIn } } },
    async (request) => {
      assertOwnPage(request);
      const session = sessionOf(request);
      return { signedIn: session !== undefined && sessions.has(session, pageKeyOf(request)) };
    },
  );
  app.post(
    "/session",
    {
      schema: {
        summary: "Signs a browser in with the administrator's token",
        body: Type.Object(
          {
            token: Type.String({ minLength: 1, maxLength: 400 }),
            pageKey: Type.Optional(
              Type.Boolean({
                description:
                  "Answers with a key that the page keeps and sends as x-frontdesk-page-key with every request (page_key in the address of events and pictures): the cookie alone, which other ports of this machine are shown too, then opens nothing.",
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ signedIn: Type.Boolean(), pageKey: Type.Optional(Type.String()) }) },
      },
    },
    async (request, reply) => {
      assertOwnPage(request);
      const { token, pageKey: withPageKey = false } = request.body;
      const { secret, pageKey } = sessions.open(token.trim(), withPageKey, {
        // A caller that has gone meanwhile has none.
        ...(request.ip === undefined ? {} : { address: request.ip }),
        browser: (request.headers["user-agent"] ?? "").slice(0, MAX_BROWSER_CHARACTERS),
      });
      reply.header("set-cookie", cookie(request, secret, SESSION_LIFE_MS / 1000));
      return { signedIn: true, ...(pageKey ? { pageKey } : {}) };
    },
  );
  app.delete(
    "/session",
    { schema: { summary: "Signs this browser out", response: { 200: SignedIn } } },
    async (request, reply) => {
      assertOwnPage(request);
      const session = sessionOf(request);
      if (session !== undefined) sessions.end(session);
      reply.header("set-cookie", cookie(request, "", 0));
      return { signedIn: false };
    },
  );
}
