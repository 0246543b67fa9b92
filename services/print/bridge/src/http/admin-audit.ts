import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyRequest } from "fastify";
import type { AuditAction } from "../domain/audit.ts";
import { type AdminOptions, authorOf } from "./admin-context.ts";
import { AuditList, AuditQuery } from "./admin-schemas.ts";

const AUDIT_PAGE = 50;

/** Who changed what and when. */
export function addAuditRoutes(app: HttpServer, { registry }: AdminOptions): void {
  app.get(
    "/audit",
    {
      schema: {
        summary: "Who changed what, newest first",
        querystring: AuditQuery,
        response: { 200: AuditList },
      },
    },
    async ({ query }) => {
      const { cursor, limit = AUDIT_PAGE, action, q: text, since, until } = query;
      const { entries, next, total } = registry.audit.search({
        action,
        text,
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
        before: cursor === undefined ? undefined : Number(cursor),
        limit,
      });
      return {
        items: entries.map(({ id, at, ...entry }) => ({
          id: String(id),
          at: new Date(at).toISOString(),
          ...entry,
          detail: { ...entry.detail },
        })),
        next_cursor: next === undefined ? null : String(next),
        total,
      };
    },
  );
}

/**
 * Jobs are kept in another file than the audit log, so their entry comes after them: a job that was refused leaves
 * none. One that is accepted prints, whatever becomes of its entry; then the log tells of it.
 */
export function noteJob(
  options: AdminOptions,
  request: FastifyRequest,
  action: AuditAction,
  subject: string,
  detail: Readonly<Record<string, unknown>>,
): void {
  const entry = { ...authorOf(request, options), action, subject, detail };
  try {
    options.registry.audit.add(entry);
  } catch (error) {
    options.bridge.log.error({ err: error, ...entry }, "audit entry not written");
  }
}
