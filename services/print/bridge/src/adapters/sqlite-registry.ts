import type { Registry, Table } from "../domain/registry.ts";
import { openDatabase } from "./migrate.ts";

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
];

interface Row<T> {
  readonly version: number;
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
  { waitsForOthers = true }: { readonly waitsForOthers?: boolean } = {},
): Registry & { close(): void } {
  const database = openDatabase(path, VERSIONS);
  if (!waitsForOthers) database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const foreign = database.prepare("pragma data_version");
  const select = database.prepare("select id, version, body from records where kind = ? order by id");
  const upsert = database.prepare(
    "insert into records (kind, id, body) values (?, ?, ?) on conflict (kind, id) do update set body = excluded.body, version = version + 1",
  );
  const drop = database.prepare("delete from records where kind = ? and id = ?");
  const kept = new Map<string, { readonly revision: number; readonly rows: Map<string, Row<unknown>> }>();
  let fresh = false;
  let seen = -1;
  let revision = 0;

  /** Asked once in a turn of the event loop: what another process writes meanwhile is seen in the next. */
  function freshen(): void {
    if (fresh) return;
    fresh = true;
    try {
      const version = Number(foreign.get()?.data_version);
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
    fresh = true;
    setTimeout(() => {
      fresh = false;
    }, BUSY_PAUSE_MS).unref();
  }

  function table<T>(kind: string): Table<T> {
    const read = (): Map<string, Row<T>> => {
      freshen();
      const known = kept.get(kind) as { revision: number; rows: Map<string, Row<T>> } | undefined;
      if (known?.revision === revision) return known.rows;
      try {
        const rows = new Map<string, Row<T>>(
          select
            .all(kind)
            .map(({ id, version, body }) => [
              String(id),
              { version: Number(version), value: JSON.parse(String(body)) },
            ]),
        );
        kept.set(kind, { revision, rows });
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
      all: () => Array.from(read().values(), ({ value }) => value),
      put: (id, value) => {
        upsert.run(kind, id, JSON.stringify(value));
        revision++;
      },
      remove: (id) => {
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
    sessions: table("session"),
    settings: table("setting"),
    together: (work) => {
      database.exec("begin immediate");
      try {
        work();
        database.exec("commit");
      } catch (error) {
        database.exec("rollback");
        revision++;
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
