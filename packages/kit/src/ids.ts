import { randomBytes } from "node:crypto";

/** Identifiers come in from outside, so that tests can foretell them. */
export interface Ids {
  next(): string;
}

/** Unique across processes by a random beginning, within one by counting: cheap enough for every request. */
export function countingIds(): Ids {
  const beginning = randomBytes(8).toString("hex");
  let count = 0;
  return { next: () => `${beginning}-${(++count).toString(36)}` };
}
