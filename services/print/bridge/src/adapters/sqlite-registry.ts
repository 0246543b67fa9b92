import type { Registry, Shelf } from "../domain/registry.ts";
import { openDatabase } from "./migrate.ts";

const VERSIONS = [
  `create table records (
     kind text not null,
     id text not null,
     body text not null,
     primary key (kind, id)
   ) without rowid;`,
];

/**
 * The administrator's decisions in one SQLite file, which the command line writes beside a running
 * bridge. SQLite tells cheaply whether another process wrote, so what was read is kept until then.
 */
export function openRegistry(path: string): Registry & { close(): void } {
  const database = openDatabase(path, VERSIONS);
  const foreign = database.prepare("pragma data_version");
  const select = database.prepare("select id, body from records where kind = ? order by id");
  const upsert = database.prepare(
    "insert into records (kind, id, body) values (?, ?, ?) on conflict (kind, id) do update set body = excluded.body",
  );
  const drop = database.prepare("delete from records where kind = ? and id = ?");
  const kept = new Map<string, Map<string, unknown>>();
  let fresh = false;
  let seen = -1;
  let revision = 0;

  /** Asked once in a turn of the event loop: what another process writes meanwhile is seen in the next. */
  function freshen(): void {
    if (fresh) return;
    fresh = true;
    setImmediate(() => {
      fresh = false;
    });
    const version = Number(foreign.get()?.data_version);
    if (version === seen) return;
    seen = version;
    revision++;
    kept.clear();
  }

  function shelf<T>(kind: string): Shelf<T> {
    const read = () => {
      freshen();
      let values = kept.get(kind) as Map<string, T> | undefined;
      if (!values) {
        values = new Map(select.all(kind).map((row) => [String(row.id), JSON.parse(String(row.body))]));
        kept.set(kind, values);
      }
      return values;
    };
    return {
      get: (id) => read().get(id),
      all: () => [...read().values()],
      put: (id, value) => {
        upsert.run(kind, id, JSON.stringify(value));
        kept.delete(kind);
        revision++;
      },
      remove: (id) => {
        const { changes } = drop.run(kind, id);
        kept.delete(kind);
        revision++;
        return Number(changes) > 0;
      },
    };
  }

  return {
    printers: shelf("printer"),
    templates: shelf("template"),
    origins: shelf("origin"),
    tokens: shelf("token"),
    pairings: shelf("pairing"),
    sessions: shelf("session"),
    settings: shelf("setting"),
    together: (work) => {
      database.exec("begin immediate");
      try {
        work();
        database.exec("commit");
      } catch (error) {
        database.exec("rollback");
        kept.clear();
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
