import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** Of a delivery: whether its event can still be sent. */
export const eventIsKept = ({ exists, selectFrom }: ExpressionBuilder<Tables, "deliveries">) =>
  exists(
    selectFrom("events")
      .select(sql<SqlBool>`1`.as("kept"))
      .whereRef("events.org_id", "=", "deliveries.org_id")
      .whereRef("events.sequence", "=", "deliveries.sequence"),
  );
