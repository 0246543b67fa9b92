import type { Store } from "@frontdesk/store/store";
import type { Compilable, CompiledQuery, Kysely } from "kysely";
import type { Tables } from "../../services/presence/src/adapters/tables.ts";

/** Marks the place of an argument while a query is built. No value of ours begins with this character. */
const MARK = "\u0001";

/** Stands for the argument of this number, whatever type the column has. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for a value of any column
export const slot = (number: number): any => `${MARK}${number}`;

/** A row of slots, in the order of its names. */
export const slots = <const Name extends string>(names: readonly Name[]) =>
  // biome-ignore lint/suspicious/noExplicitAny: each stands for a value of any column
  Object.fromEntries(names.map((name, i) => [name, slot(i)])) as Record<Name, any>;

export type HotQuery<Row> = (db: Kysely<Tables>, ...values: unknown[]) => Row[] | Promise<Row[]>;

/**
 * Builds a query once and runs it often: composing the text anew costs more than SQLite needs to
 * run it. Only for what every request does.
 */
export function hotQuery<Row>(store: Store<Tables>, query: Compilable<Row>): HotQuery<Row> {
  const compiled: CompiledQuery<Row> = query.compile();
  const places = compiled.parameters.map((value) =>
    typeof value === "string" && value.startsWith(MARK) ? Number(value.slice(1)) : undefined,
  );
  const asGiven = places.every((place, i) => place === i);
  return (db, ...values) =>
    store.run(db, {
      query: compiled.query,
      queryId: compiled.queryId,
      sql: compiled.sql,
      parameters: asGiven
        ? values
        : places.map((place, i) => (place === undefined ? compiled.parameters[i] : values[place])),
    });
}
