import type { Added, Line } from "./adding.ts";

export type AddLane = (lines: readonly Line[]) => Promise<Added>;

/**
 * Adds one after another: requests that are on their way together may arrive in another order than they were typed in.
 * Lines that come while others are added wait, and go together.
 */
export function createAddLane(addAll: AddLane): AddLane {
  let waiting: { readonly lines: Line[]; readonly added: Promise<Added> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = () => {
    const lines: Line[] = [];
    const added = last.then(() => {
      waiting = undefined;
      return addAll(lines);
    });
    last = added.catch(() => {});
    return { lines, added };
  };
  return async (lines) => {
    waiting ??= begin();
    waiting.lines.push(...lines);
    const all = await waiting.added;
    const ids = new Set(lines.map(({ id }) => id));
    const left = all.left.filter(({ line }) => ids.has(line.id));
    return { count: lines.length - left.length, left };
  };
}
