import type { DatabaseSync } from "node:sqlite";
import type { AuditEntry, AuditLog } from "../domain/audit.ts";

/** By count alone: a clock that is set far ahead once must not empty the log. */
export const MAX_AUDIT_ENTRIES = 20_000;
/** Longer ones are cut: a detail is there to be read by a person. */
const MAX_DETAIL_CHARACTERS = 4_000;
const MAX_SUBJECT_CHARACTERS = 300;
const CUT = JSON.stringify("cut: too long to be kept");

export const AUDIT_TABLE = `create table audit_log (
     id integer primary key,
     at integer not null,
     actor text not null,
     action text not null,
     subject text,
     detail text not null
   );`;

/** The conditions of a search; one that is not given (null) lets everything pass. */
const FITS = `(:action is null or action = :action or substr(action, 1, length(:action) + 1) = :action || '.')
   and (:text is null or instr(lower_text(actor), :text) > 0 or instr(lower_text(coalesce(subject, '')), :text) > 0)
   and (:since is null or at >= :since)
   and (:until is null or at < :until)`;

/** The audit log, of which the newest entries are kept. */
export function auditRows(database: DatabaseSync): AuditLog {
  // SQLite's own lower() knows ASCII only.
  database.function("lower_text", { deterministic: true }, lowerText);
  const insert = database.prepare(
    "insert into audit_log (at, actor, action, subject, detail) values (?, ?, ?, ?, ?)",
  );
  const forget = database.prepare("delete from audit_log where id <= ?");
  const select = database.prepare(
    `select id, at, actor, action, subject, detail from audit_log
       where ${FITS} and (:before is null or id < :before) order by id desc limit :limit`,
  );
  const count = database.prepare(`select count(*) as total from audit_log where ${FITS}`);
  return {
    add: ({ at, actor, action, subject, detail = {} }) => {
      const cut = subject?.slice(0, MAX_SUBJECT_CHARACTERS) ?? null;
      const { lastInsertRowid } = insert.run(at, actor, action, cut, detailText(detail));
      forget.run(Number(lastInsertRowid) - MAX_AUDIT_ENTRIES);
    },
    search: ({ action = null, text, since = null, until = null, before = null, limit }) => {
      const fits = { action, text: text ? lowerText(text) : null, since, until };
      const rows = select.all({ ...fits, before, limit: limit + 1 });
      const entries = rows.slice(0, limit).map(entryFrom);
      const next = rows.length > limit ? entries.at(-1)?.id : undefined;
      return { entries, next, total: Number(count.get(fits)?.total) };
    },
  };
}

const lowerText = (value: unknown) => String(value).toLowerCase();

/** What is too long loses its longest fields, and says so in their place. */
function detailText(detail: Readonly<Record<string, unknown>>): string {
  const fields = new Map(
    Object.entries(detail).map(([name, value]) => [name, JSON.stringify(value) ?? "null"]),
  );
  const text = () =>
    `{${Array.from(fields, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
  const longestFirst = [...fields].sort(([, one], [, other]) => other.length - one.length);
  for (const [name] of longestFirst) {
    if (text().length <= MAX_DETAIL_CHARACTERS) break;
    fields.set(name, CUT);
  }
  return text().length <= MAX_DETAIL_CHARACTERS ? text() : `{"cut":true}`;
}

const entryFrom = (row: Record<string, unknown>): AuditEntry => ({
  id: Number(row.id),
  at: Number(row.at),
  actor: String(row.actor),
  action: String(row.action),
  subject: row.subject === null ? null : String(row.subject),
  detail: JSON.parse(String(row.detail)),
});
