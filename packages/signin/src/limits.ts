import { refuse } from "./refusals.ts";

/** What may be done only so often in an hour while signing in, and by whom. */
export const SIGNIN_LIMITED = [
  /** Codes to one inbox that one network, or one account, asks for: nobody is locked out by others. */
  "mail_per_inbox",
  /** Codes to one inbox, whoever asks. */
  "mail_per_inbox_in_all",
  /** Codes that one network, or one account, asks for, whatever the inbox. */
  "mail_per_sender",
  /** Wrong codes and wrong second factors from one network, across all inboxes. */
  "guesses",
  /** Tries at one account's second factor. */
  "factor_tries",
] as const;

export type SigninLimited = (typeof SIGNIN_LIMITED)[number];

export interface Limits<Limited extends string = SigninLimited> {
  /** Counts one more; answers how many seconds to wait when that is too many, else undefined. */
  consume(what: Limited, key: string): Promise<number | undefined>;
  /** How many seconds to wait when it has been too many; counts nothing. */
  wait(what: Limited, key: string): Promise<number | undefined>;
}

/** Counts one more, and refuses when that is too many. */
export async function takeTurn<Limited extends string>(
  limits: Limits<Limited>,
  what: Limited,
  key: string,
): Promise<void> {
  const seconds = await limits.consume(what, key);
  if (seconds !== undefined) throw refuse("rate_limited", seconds);
}

/** Refuses when it has been too many before; counts nothing. */
export async function mayGoOn<Limited extends string>(
  limits: Limits<Limited>,
  what: Limited,
  key: string,
): Promise<void> {
  const seconds = await limits.wait(what, key);
  if (seconds !== undefined) throw refuse("rate_limited", seconds);
}
