import { refuse } from "./errors.ts";

/** What may be done only so often in an hour, and by whom. */
export const LIMITED = [
  "mail_per_inbox",
  "mail_per_sender",
  "avatar_writes",
  "names",
  "factor_tries",
  "photos",
  "grants",
] as const;

export type Limited = (typeof LIMITED)[number];

export interface Limits {
  /** Counts one more; answers how many seconds to wait when that is too many, else undefined. */
  consume(what: Limited, key: string): Promise<number | undefined>;
}

/** Counts one more, and refuses when that is too many. */
export async function takeTurn(limits: Limits, what: Limited, key: string): Promise<void> {
  const seconds = await limits.consume(what, key);
  if (seconds !== undefined) throw refuse("rate_limited", seconds);
}
