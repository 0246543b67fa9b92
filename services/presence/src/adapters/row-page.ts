import type { Page } from "../domain/read-model.ts";

/** A page of rows, of which one more was asked for than it holds. */
export const pageOf = <T>(items: T[], limit: number): Page<T> => ({
  items: items.slice(0, limit),
  more: items.length > limit,
});
