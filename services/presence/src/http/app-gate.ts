import type { HttpServer } from "@frontdesk/kit/http-server";
import { refuse as refuseSignIn } from "@frontdesk/signin/refusals";
import { callerOf, originGate, sessionGate } from "@frontdesk/signin/session-gate";
import type { FastifyRequest } from "fastify";
import type { Actor } from "../domain/actor.ts";
import type { Membership } from "../domain/app-read-model.ts";
import { refuse } from "../domain/codes.ts";
import { ROLES } from "../domain/records.ts";
import { APP_BASE } from "./app-base.ts";
import type { AppParts } from "./app-parts.ts";
import { type Admitted, APP_ROLE_TABLE } from "./app-role-table.ts";

/** A member of the organisation in the path. */
export interface Colleague extends Membership {
  /** As whom the member changes things. */
  readonly actor: Actor;
  readonly sessionId: string;
}

const colleagues = new WeakMap<FastifyRequest, Colleague>();

export function colleagueOf(request: FastifyRequest): Colleague {
  const colleague = colleagues.get(request);
  if (!colleague) throw refuse("org_not_found");
  return colleague;
}

/** What stands before every route: where a write comes from, who it is, and whether that one may. Before any body is read. */
export function addAppGate(
  app: HttpServer,
  {
    signIn,
    appReader,
    clock,
    publicUrl,
    countWrites,
  }: Pick<AppParts, "signIn" | "appReader" | "clock" | "publicUrl" | "countWrites">,
): void {
  const table: Readonly<Record<string, Admitted>> = APP_ROLE_TABLE;
  const demandOrigin = originGate(publicUrl);
  const demandSession = sessionGate(signIn, clock.now);

  app.addHook("onRoute", (route) => {
    const [method = ""] = [route.method].flat();
    if (method === "HEAD") return;
    const name = `${method} ${route.url.slice(APP_BASE.length)}`;
    if (!Object.hasOwn(table, name)) throw new Error(`${name} is not in the role table`);
  });

  app.addHook("onRequest", async (request) => {
    await demandOrigin(request);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = (request.routeOptions.url ?? "").slice(APP_BASE.length);
    const needed = table[`${method} ${route}`] ?? "admin";
    if (needed === "anyone") return;
    await demandSession(request);
    if (method !== "GET" && !route.startsWith("/auth/logout")) countWrites(callerOf(request).sessionId, 1);
    if (needed === "person") return;
    // A page of another origin beside ours would use up the streams of a session whose cookie goes along.
    if (route.endsWith("/stream") && isFromElsewhere(request.headers["sec-fetch-site"]))
      throw refuseSignIn("bad_origin");
    const { accountId, sessionId } = callerOf(request);
    const { org } = request.params as { org: string };
    const found = isSlug(org) ? await appReader.membership(org, accountId) : undefined;
    if (!found)
      throw refuse("org_not_found", "There is no such organisation, or you are not a member of it.");
    if (ROLES.indexOf(found.member.role) < ROLES.indexOf(needed)) throw refuse("forbidden");
    colleagues.set(request, {
      ...found,
      // A body may take its time: whether the caller still may, the change itself asks again.
      actor: { kind: "member", memberId: found.member.id, demands: { role: needed, sessionId } },
      sessionId,
    });
  });
}

const isFromElsewhere = (site: unknown): boolean => site === "same-site" || site === "cross-site";

/** PostgreSQL throws at the character NUL. */
const isSlug = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,62}$/.test(text);
