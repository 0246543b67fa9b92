import type { ServerRows } from "./server-rows.ts";

/** Rows that are all in the page already, for a table that takes them from a server. */
export const localRows = <Row>(rows: readonly Row[]): ServerRows<Row> => ({
  rows,
  total: rows.length,
  hasMore: false,
  isLoading: false,
  isStale: false,
  error: undefined,
  loadMore: () => {},
  reload: () => {},
});
