import { sql } from "kysely";

/** Written into the query: SQLite takes an index of what is not archived only where the query says so without a parameter. */
export const archivedLiteral = (isArchived: boolean) => sql.lit(isArchived ? 1 : 0);
