import type { TLSSocket } from "node:tls";
import type { HostGuard } from "@frontdesk/kit/host-guard";
import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RemoteAuthor } from "../domain/author.ts";
import { refuse } from "../domain/codes.ts";
import { isAllowed } from "../domain/role.ts";
import type { Principal, SignIn } from "../domain/sign-in.ts";
import { ROLE_TABLE } from "./role-table.ts";

export const COOKIE = "lease_session";
const PREFIX = "/api/v1/";
const BEARER = "Bearer ";
const SAFE = new Set(["GET", "HEAD"]);

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

/** Who has come in; the gate has let nobody else through. */
export const principalOf = (request: FastifyRequest): Principal =>
  request.principal ?? refuse("unauthorized");

/** The same as the author of a write, which asks once more for the role that the route needs. */
export const authorOf = (request: FastifyRequest): RemoteAuthor => {
  const { actor, rootUserId, tokenId, sessionId } = principalOf(request);
  const needed = neededFor(request);
  return { actor, rootUserId, tokenId, sessionId, needed: needed === "anyone" ? "viewer" : needed };
};

const neededFor = ({ method, routeOptions: { url = "" } }: FastifyRequest) =>
  ROLE_TABLE[`${method === "HEAD" ? "GET" : method} ${url}`] ?? "admin";

/** What stands before every route: the right host, https, who it is, and whether that one may. */
export function addGate(app: HttpServer, signIn: SignIn, isOurs: HostGuard): void {
  app.decorateRequest("principal", undefined);
  app.addHook("onRoute", ({ method, url }) => {
    if (!url.startsWith(PREFIX)) return;
    for (const each of [method].flat()) {
      if (each !== "HEAD" && !Object.hasOwn(ROLE_TABLE, `${each} ${url}`))
        throw new Error(`${each} ${url} is not in the role table`);
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    const { host = "" } = request.headers;
    if (!isOurs(host)) refuse("wrong_host");
    if (!(request.raw.socket as TLSSocket).encrypted) return redirect(request, reply, host);
    await judge(request, signIn);
    const isWrite = !SAFE.has(request.method) && (request.routeOptions.url ?? "").startsWith(PREFIX);
    // By cookie a page of another origin could write in a person's name.
    if (isWrite && bearerOf(request) === undefined && !isOwnOrigin(request.headers, host))
      refuse("cross_origin");
  });
  // A body may take its time: by now the session may have ended, or the role be another.
  app.addHook("preHandler", async (request) => {
    if (request.body !== undefined) await judge(request, signIn);
  });
}

/** Finds out who asks, and refuses who may not. */
async function judge(request: FastifyRequest, signIn: SignIn): Promise<void> {
  request.principal = await whoAsks(request, signIn);
  const route = request.routeOptions.url ?? "";
  if (!route.startsWith(PREFIX)) return;
  const needed = neededFor(request);
  if (needed === "anyone") return;
  if (!request.principal) refuse("unauthorized");
  else if (!isAllowed(request.principal.role, needed)) refuse("forbidden");
}

/** Health is told in the clear; for all else there is https on the same port. */
function redirect(request: FastifyRequest, reply: FastifyReply, host: string) {
  if (request.url === "/healthz" || request.url === `${PREFIX}healthz`) return;
  return reply.code(308).header("location", `https://${host}${request.url}`).send();
}

/** By a token where there is one, else by the cookie; undefined when neither is worth anything any more. */
export async function whoAsks(request: FastifyRequest, signIn: SignIn): Promise<Principal | undefined> {
  const token = bearerOf(request);
  if (token !== undefined) return signIn.ofToken(token);
  const secret = cookieOf(request.headers.cookie ?? "");
  return secret ? signIn.ofSession(secret) : undefined;
}

/** Other schemes are nothing here: whoever sends one with a cookie is whoever the cookie says. */
const bearerOf = ({ headers: { authorization } }: FastifyRequest): string | undefined =>
  authorization?.startsWith(BEARER) ? authorization.slice(BEARER.length) : undefined;

function cookieOf(header: string): string | undefined {
  for (const part of header.split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === COOKIE) return part.slice(at + 1).trim();
  }
  return undefined;
}

function isOwnOrigin(
  headers: {
    readonly origin?: string | undefined;
    readonly "sec-fetch-site"?: string | string[] | undefined;
  },
  host: string,
): boolean {
  if (headers.origin !== undefined) return headers.origin === `https://${host}`;
  // Every browser of today says where a request comes from; what is no browser has no cookie to lose.
  const site = headers["sec-fetch-site"];
  return site === undefined || site === "same-origin";
}
