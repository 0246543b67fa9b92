import { randomBytes, randomUUID } from "node:crypto";

/** Identifiers come in from outside, so that tests can foretell them. */
export interface Ids {
  next(): string;
}

/** Whether a text can be an identifier at all. PostgreSQL throws at the character NUL. */
export const isId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

/** For what is kept. */
export const randomIds: Ids = { next: () => randomUUID() };

/** Unique across processes by a random beginning, within one by counting: cheap enough for every request. */
export function countingIds(): Ids {
  const beginning = randomBytes(8).toString("hex");
  let count = 0;
  return { next: () => `${beginning}-${(++count).toString(36)}` };
}
