import { type Static, Type } from "typebox";
import { issueToken, revokeToken } from "../domain/access.ts";
import type { AppReadModel, AuditFilter } from "../domain/app-read-model.ts";
import { isoTime, isoTimeOrNull } from "../domain/clock-text.ts";
import type { AuditRecord, TokenRecord } from "../domain/records.ts";
import { parseScopes } from "../domain/scopes.ts";
import { AppTokenList, AuditPage, AuditQuery, NewToken, TokenMade } from "./app-admin-schemas.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { IdParams } from "./app-status-routes.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { OrgParams } from "./requests.ts";
import { DEFAULT_LIMIT } from "./routes.ts";

const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 90;

const tokenView = (token: TokenRecord, integration: string) => ({
  id: token.id,
  integration,
  name: token.name,
  scopes: [...token.scopes],
  createdAt: isoTime(token.createdAt),
  lastUsedAt: isoTimeOrNull(token.lastUsedAt),
  expiresAt: isoTimeOrNull(token.expiresAt),
  revokedAt: isoTimeOrNull(token.revokedAt),
});

/** Integrations and their tokens, and who changed what. */
export const appAccessRoutes: AppRoutes = (app, { desk, appReader }) => {
  const tags = ["Integrations"];
  app.get(
    "/orgs/:org/tokens",
    {
      schema: {
        summary: "Every token, without its secret",
        tags,
        params: OrgParams,
        response: { 200: AppTokenList },
      },
    },
    async (request) => {
      const tokens = await appReader.tokenList(colleagueOf(request).org.id);
      return { data: tokens.map((token) => tokenView(token, token.integration)) };
    },
  );
  app.post(
    "/orgs/:org/tokens",
    {
      schema: {
        summary: "Issue a token, which is shown this once; a new integration is created",
        tags,
        params: OrgParams,
        body: NewToken,
        response: { 201: TokenMade },
        "x-problems": [409],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      const { integration, name, scopes, expiresInDays } = request.body as Static<typeof NewToken>;
      const days = expiresInDays === undefined ? DEFAULT_DAYS : expiresInDays;
      const { token, record } = await desk.change(org.id, actor, (unit) =>
        issueToken(unit, {
          integration,
          name: name ?? "",
          scopes: parseScopes(scopes),
          expiresAt: days === null ? null : unit.now + days * DAY_MS,
        }),
      );
      return reply.code(201).send({ token, record: tokenView(record, integration) });
    },
  );
  app.delete(
    "/orgs/:org/tokens/:id",
    {
      schema: {
        summary: "Revoke a token at once",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "Revoked" }) },
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => revokeToken(unit, request.params.id));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/orgs/:org/audit",
    {
      schema: {
        summary: "Who changed what, newest first",
        tags: ["Audit"],
        params: OrgParams,
        querystring: AuditQuery,
        response: { 200: AuditPage },
      },
    },
    async (request) => {
      const { org } = colleagueOf(request);
      const { cursor, limit = DEFAULT_LIMIT, by = "people", ...filter } = request.query;
      const ask = by === "people" ? peoplesPage : othersPage;
      const { items, nextCursor } = await ask(appReader, org.id, filter, cursor, limit);
      const names = await namesIn(appReader, org.id, items);
      return {
        data: items.map((entry) => ({
          id: entry.id,
          at: isoTime(entry.at),
          actor: entry.actor,
          actorName: names.get(memberIn(entry.actor)) ?? null,
          action: entry.action,
          subject: entry.subject,
          subjectName: names.get(entry.subject ?? "") ?? null,
          detail: { ...entry.detail },
        })),
        nextCursor,
      };
    },
  );
};

interface Entries {
  readonly items: readonly AuditRecord[];
  readonly nextCursor: string | null;
}
type Ask = (
  reader: AppReadModel,
  orgId: string,
  filter: AuditFilter,
  cursor: string | undefined,
  limit: number,
) => Promise<Entries>;

const peoplesPage: Ask = async (reader, orgId, filter, cursor, limit) => {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0];
  const { items, more } = await reader.auditPage(orgId, filter, before, limit);
  return { items, nextCursor: more ? encodeCursor([items.at(-1)?.id ?? ""]) : null };
};

const othersPage: Ask = async (reader, orgId, filter, cursor, limit) => {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, ["integer"])[0];
  const { items, next } = await reader.unattendedPage(orgId, filter, before, limit);
  return { items, nextCursor: next === null ? null : encodeCursor([next]) };
};

const MEMBER = "member:";
const memberIn = (actor: string): string => (actor.startsWith(MEMBER) ? actor.slice(MEMBER.length) : "");

/** The names of the members that entries tell of. */
async function namesIn(
  reader: AppReadModel,
  orgId: string,
  entries: readonly AuditRecord[],
): Promise<Map<string, string>> {
  const ids = new Set(entries.flatMap(({ actor, subject }) => [memberIn(actor), subject ?? ""]));
  const names = new Map<string, string>();
  for (const id of ids) {
    const member = id === "" ? undefined : await reader.memberById(orgId, id);
    if (member) names.set(id, member.name);
  }
  const unknown = [...ids].filter((id) => id !== "" && !names.has(id));
  if (unknown.length === 0) return names;
  for (const [id, name] of await reader.formerNames(orgId, unknown)) names.set(id, name);
  return names;
}
