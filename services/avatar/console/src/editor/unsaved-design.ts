import { begin, type Design, type History } from "./design.ts";

/** A face that somebody has changed. */
export interface Touched {
  readonly history: History;
  /** The saved design that it was begun on, null for none; undefined: not known. */
  readonly base?: Design | null | undefined;
}

/** What is left of a changed face once it is known what is saved now: where nothing was changed since the last save, what was saved elsewhere takes its place. */
export function kept(touched: Touched | undefined, saved: Design | undefined): Touched | undefined {
  if (!touched || !saved || isSame(touched.base, saved)) return touched;
  return isSame(touched.history.present, touched.base) ? undefined : touched;
}

/** Whether another design was saved elsewhere since this one was begun. */
export const isBehind = (touched: Touched | undefined, saved: Design | undefined): boolean =>
  touched?.base !== undefined &&
  saved !== undefined &&
  !isSame(saved, touched.base) &&
  !isSame(saved, touched.history.present);

/** The editor holds a saved design, also when it is no longer saved; not in place of changes. */
export function held(touched: Touched | undefined, saved: Design): Touched {
  const isOther = touched === undefined || isSame(touched.history.present, touched.base);
  if (!isOther) return touched;
  const history = touched && isSame(touched.history.present, saved) ? touched.history : begin(saved);
  return { history, base: saved };
}

export const isSame = (one: Design | null | undefined, other: Design | null | undefined): boolean =>
  inOrder(one) === inOrder(other);

/** An option that was taken back stands behind the others, and is the same. */
function inOrder(design: Design | null | undefined): string | undefined {
  if (!design) return design === null ? "null" : undefined;
  const options = Object.entries(design.options).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([design.collection, design.seed, options]);
}
