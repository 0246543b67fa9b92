import type { DatabaseSync } from "node:sqlite";
import type { AuditEntry, AuditLog } from "../domain/audit.ts";

const DAY_MS = 24 * 60 * 60_000;
export const AUDIT_RETENTION_MS = 400 * DAY_MS;
export const MAX_AUDIT_ENTRIES = 20_000;
/** Longer ones are cut: a detail is there to be read by a person. */
const MAX_DETAIL_CHARACTERS = 4_000;
const MAX_SUBJECT_CHARACTERS = 300;

export const AUDIT_TABLE = `create table audit_log (
     id integer primary key,
     at integer not null,
     actor text not null,
     action text not null,
     subject text,
     detail text not null
   );
   create index audit_log_at on audit_log (at);`;

/** The conditions of a search; one that is not given (null) lets everything pass. */
const FITS = `(:action is null or action = :action or substr(action, 1, length(:action) + 1) = :action || '.')
   and (:text is null or instr(lower(actor), :text) > 0 or instr(lower(coalesce(subject, '')), :text) > 0)
   and (:since is null or at >= :since)
   and (:until is null or at < :until)`;

/** The audit log, bounded by age and by count. */
export function auditRows(database: DatabaseSync): AuditLog {
  const insert = database.prepare(
    "insert into audit_log (at, actor, action, subject, detail) values (?, ?, ?, ?, ?)",
  );
  const forgetMany = database.prepare("delete from audit_log where id <= ?");
  const forgetOld = database.prepare("delete from audit_log where at < ?");
  const select = database.prepare(
    `select id, at, actor, action, subject, detail from audit_log
       where ${FITS} and (:before is null or id < :before) order by id desc limit :limit`,
  );
  const count = database.prepare(`select count(*) as total from audit_log where ${FITS}`);
  return {
    add: ({ at, actor, action, subject, detail = {} }) => {
      const cut = subject?.slice(0, MAX_SUBJECT_CHARACTERS) ?? null;
      const { lastInsertRowid } = insert.run(at, actor, action, cut, detailText(detail));
      forgetMany.run(Number(lastInsertRowid) - MAX_AUDIT_ENTRIES);
      forgetOld.run(at - AUDIT_RETENTION_MS);
    },
    search: ({ action = null, text, since = null, until = null, before = null, limit }) => {
      const fits = { action, text: text?.toLowerCase() || null, since, until };
      const rows = select.all({ ...fits, before, limit: limit + 1 });
      const entries = rows.slice(0, limit).map(entryFrom);
      const next = rows.length > limit ? entries.at(-1)?.id : undefined;
      return { entries, next, total: Number(count.get(fits)?.total) };
    },
  };
}

function detailText(detail: object): string {
  const text = JSON.stringify(detail);
  return text.length <= MAX_DETAIL_CHARACTERS ? text : JSON.stringify({ cut: true });
}

const entryFrom = (row: Record<string, unknown>): AuditEntry => ({
  id: Number(row.id),
  at: Number(row.at),
  actor: String(row.actor),
  action: String(row.action),
  subject: row.subject === null ? null : String(row.subject),
  detail: JSON.parse(String(row.detail)),
});
