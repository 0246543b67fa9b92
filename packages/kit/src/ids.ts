import { randomUUID } from "node:crypto";

/** Identifiers come in from outside, so that tests can foretell them. */
export interface Ids {
  next(): string;
}

export const randomIds: Ids = { next: () => randomUUID() };
