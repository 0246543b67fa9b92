import type { Log } from "@frontdesk/kit/log";
import { applyVersions, openSqliteFile } from "@frontdesk/store/sqlite-file";
import type { Registry, Table } from "../domain/registry.ts";
import { AUDIT_TABLE, auditRows } from "./audit-rows.ts";

const VERSIONS = [
  `create table records (
     kind text not null,
     id text not null,
     body text not null,
     primary key (kind, id)
   ) without rowid;`,
  // Pages that ask are kept in memory.
  "delete from records where kind = 'pairing'",
  "alter table records add column version integer not null default 1",
  // A name that is used again goes on counting: an edit of the record that had it before must not pass.
  `create table removed_versions (
     kind text not null,
     id text not null,
     version integer not null,
     primary key (kind, id)
   ) without rowid;
   create table template_versions (
     id text not null,
     version integer not null,
     saved_at integer,
     body text not null,
     primary key (id, version)
   ) without rowid;
   insert into template_versions
     select id, json_extract(body, '$.version'), null, body from records
     where kind = 'template' and json_valid(body) and json_extract(body, '$.version') is not null;`,
  AUDIT_TABLE,
];
/** Records that browsers edit, with If-Match. */
const EDITED = new Set(["printer", "template", "origin"]);
/** Of each template so many versions are kept. */
const MAX_TEMPLATE_VERSIONS = 50;

interface Row<T> {
  readonly version: number;
  readonly generation: number;
  readonly value: T;
}

const SQLITE_BUSY = 5;
/** A running bridge rather works with what it knows than waits for another process that holds the file. */
const BUSY_TIMEOUT_MS = 100;
/** So long it works with what it knows before it looks at a locked file again. */
const BUSY_PAUSE_MS = 1_000;

const isBusy = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;

/**
 * The administrator's decisions in one SQLite file, which the command line writes beside a running
 * bridge. SQLite tells cheaply whether another process wrote, so what was read is kept until then.
 */
export function openRegistry(
  path: string,
  {
    waitsForOthers = true,
    log,
  }: { readonly waitsForOthers?: boolean; readonly log?: Pick<Log, "error"> } = {},
): Registry & { close(): void } {
  const database = openSqliteFile(path);
  applyVersions(database, path, VERSIONS);
  if (!waitsForOthers) database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const foreign = database.prepare("pragma data_version");
  const select = database.prepare(
    `select id, r.version, body, coalesce(gone.version, 0) as generation
       from records as r left join removed_versions as gone using (kind, id) where kind = ? order by id`,
  );
  const upsert = database.prepare(
    `insert into records (kind, id, body, version)
       values (:kind, :id, :body,
         1 + coalesce((select version from removed_versions where kind = :kind and id = :id), 0))
       on conflict (kind, id) do update set body = excluded.body, version = version + 1`,
  );
  const keepVersion = database.prepare(
    "insert or replace into removed_versions select kind, id, version from records where kind = ? and id = ?",
  );
  const addTemplateVersion = database.prepare(
    "insert or replace into template_versions (id, version, saved_at, body) values (?, ?, ?, ?)",
  );
  const dropTemplateVersions = database.prepare(
    "delete from template_versions where id = ? and version <= ?",
  );
  const templateVersions = database.prepare(
    "select saved_at, body from template_versions where id = ? order by version desc",
  );
  const audit = auditRows(database);
  const drop = database.prepare("delete from records where kind = ? and id = ?");
  let fresh = false;
  /** When a locked file is looked at again, by the monotonic clock. */
  let resumesAt = 0;
  let seen = -1;
  let revision = 0;

  /** Asked once in a turn of the event loop: what another process writes meanwhile is seen in the next. */
  function freshen(): void {
    if (fresh || performance.now() < resumesAt) return;
    try {
      const version = Number(foreign.get()?.data_version);
      fresh = true;
      setImmediate(() => {
        fresh = false;
      });
      if (version === seen) return;
      seen = version;
      revision++;
    } catch (error) {
      if (!isBusy(error)) throw error;
      pauseReading();
    }
  }

  function pauseReading(): void {
    resumesAt = performance.now() + BUSY_PAUSE_MS;
  }

  /** A row that cannot be read is as if it were not there: one bad record must not take the others with it. */
  function parse<T>(kind: string, id: string, body: string): T | undefined {
    try {
      return JSON.parse(body) as T;
    } catch (error) {
      log?.error({ err: error, kind, id }, "record in config.db cannot be read; it is left out");
      return undefined;
    }
  }

  function table<T>(kind: string): Table<T> {
    let known: { readonly revision: number; readonly rows: Map<string, Row<T>> } | undefined;
    const read = (): Map<string, Row<T>> => {
      freshen();
      if (known?.revision === revision) return known.rows;
      try {
        const rows = new Map<string, Row<T>>();
        for (const { id, version, generation, body } of select.all(kind)) {
          const value = parse<T>(kind, String(id), String(body));
          if (value !== undefined)
            rows.set(String(id), { version: Number(version), generation: Number(generation), value });
        }
        known = { revision, rows };
        return rows;
      } catch (error) {
        if (!isBusy(error) || !known) throw error;
        pauseReading();
        return known.rows;
      }
    };
    return {
      get: (id) => read().get(id)?.value,
      version: (id) => read().get(id)?.version,
      generation: (id) => read().get(id)?.generation ?? 0,
      all: () => Array.from(read().values(), ({ value }) => value),
      put: (id, value) => {
        upsert.run({ kind, id, body: JSON.stringify(value) });
        revision++;
      },
      remove: (id) => {
        if (EDITED.has(kind)) keepVersion.run(kind, id);
        const { changes } = drop.run(kind, id);
        revision++;
        return Number(changes) > 0;
      },
    };
  }

  return {
    printers: table("printer"),
    templates: table("template"),
    origins: table("origin"),
    tokens: table("token"),
    tokenUses: table("token-use"),
    sessions: table("session"),
    settings: table("setting"),
    templateVersions: {
      add: (template, savedAt) => {
        addTemplateVersion.run(template.id, template.version, savedAt, JSON.stringify(template));
        dropTemplateVersions.run(template.id, template.version - MAX_TEMPLATE_VERSIONS);
      },
      of: (id) =>
        templateVersions.all(id).map(({ saved_at, body }) => ({
          savedAt: saved_at === null ? undefined : Number(saved_at),
          template: JSON.parse(String(body)),
        })),
    },
    audit: {
      add: (entry) => {
        audit.add(entry);
        revision++;
      },
      search: audit.search,
    },
    together: (work) => {
      if (database.isTransaction) return work();
      database.exec("begin immediate");
      try {
        const result = work();
        database.exec("commit");
        return result;
      } catch (error) {
        revision++;
        // SQLite has rolled back by itself where the disk is full.
        if (database.isTransaction) database.exec("rollback");
        throw error;
      }
    },
    revision: () => {
      freshen();
      return revision;
    },
    close: () => database.close(),
  };
}
