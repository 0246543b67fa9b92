import type { Compilable, CompiledQuery, Kysely } from "kysely";
import type { Store } from "./store.ts";

/** Stands in a query for a value that is given when it runs, with the type of that value. */
export type Parameter<Params> = <Name extends keyof Params & string>(name: Name) => Params[Name];

/** Runs on `store.read` or on a transaction. SQLite answers at once. */
export type PreparedQuery<Tables, Params, Row> = (
  db: Kysely<Tables>,
  params: Params,
) => Row[] | Promise<Row[]>;

/** Marks the place of a parameter while a query is built. No value of ours begins with this character. */
const MARK = "\u0001";

/**
 * Builds a query once and runs it often, as a prepared statement on either engine: composing the text
 * anew costs more than SQLite needs to run it. Parameters and rows are typed:
 *
 *     const find = prepared<{ id: string }>()(store, (param) =>
 *       store.read.selectFrom("notes").selectAll().where("id", "=", param("id")));
 */
export function prepared<Params extends object>() {
  return <Tables, Row>(
    store: Store<Tables>,
    build: (param: Parameter<Params>) => Compilable<Row>,
  ): PreparedQuery<Tables, Params, Row> => {
    const compiled: CompiledQuery<Row> = build((name) => `${MARK}${name}` as never).compile();
    const { query, queryId, sql } = compiled;
    const names = compiled.parameters.map((value) =>
      typeof value === "string" && value.startsWith(MARK)
        ? (value.slice(MARK.length) as keyof Params)
        : undefined,
    );
    return (db, params) => {
      const parameters = names.map((name, i) => (name === undefined ? compiled.parameters[i] : params[name]));
      return store.run(db, { query, queryId, sql, parameters });
    };
  };
}

/** A parameter for each of a row's columns, by the column's name. */
export function parametersOf<Params extends object, const Name extends keyof Params & string>(
  param: Parameter<Params>,
  names: readonly Name[],
): Pick<Params, Name> {
  return Object.fromEntries(names.map((name) => [name, param(name)])) as Pick<Params, Name>;
}
