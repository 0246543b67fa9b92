import { refuse } from "./refusals.ts";
import { sourceNetwork } from "./source-network.ts";

/** What may be done only so often in an hour while signing in, and by whom. */
export const SIGNIN_LIMITED = [
  /** Codes to one inbox that one network, one known browser or one account asks for: nobody is locked out by others. */
  "mail_per_inbox",
  /** Codes to one inbox, whoever asks. */
  "mail_per_inbox_in_all",
  /** Codes that one address, or one account, asks for, whatever the inbox. */
  "mail_per_sender",
  "mail_per_network",
  /** Wrong codes and wrong second factors from one address or one known browser, across all inboxes. */
  "guesses",
  "guesses_per_network",
  /** Tries at one account's second factor. */
  "factor_tries",
  /** Secrets for an authenticator that one account asks for. */
  "factor_begins",
] as const;

export type SigninLimited = (typeof SIGNIN_LIMITED)[number];

export interface Limits<Limited extends string = SigninLimited> {
  /** Counts one more; where that would be too many, counts nothing and answers how many seconds to wait. */
  consume(what: Limited, key: string): Promise<number | undefined>;
  /** Takes back what was counted last. */
  giveBack(what: Limited, key: string): Promise<void>;
}

/** One more of something, by somebody. */
export type Turn<Limited extends string = SigninLimited> = readonly [what: Limited, key: string];

/** Counts one more, and refuses when that would be too many. */
export async function takeTurn<Limited extends string>(
  limits: Limits<Limited>,
  what: Limited,
  key: string,
): Promise<void> {
  const seconds = await limits.consume(what, key);
  if (seconds !== undefined) throw refuse("rate_limited", seconds);
}

/** All or none of them. */
export async function takeTurns<Limited extends string>(
  limits: Limits<Limited>,
  turns: ReadonlyArray<Turn<Limited>>,
): Promise<void> {
  for (const [index, [what, key]] of turns.entries()) {
    try {
      await takeTurn(limits, what, key);
    } catch (error) {
      await giveTurnsBack(limits, turns.slice(0, index));
      throw error;
    }
  }
}

export async function giveTurnsBack<Limited extends string>(
  limits: Limits<Limited>,
  turns: ReadonlyArray<Turn<Limited>>,
): Promise<void> {
  for (const [what, key] of turns) await limits.giveBack(what, key);
}

/** Something that is counted before it is done. Where it could not be done, it is given back: nothing was learnt by it. */
export async function takingTurns<T, Limited extends string>(
  limits: Limits<Limited>,
  turns: ReadonlyArray<Turn<Limited>>,
  work: () => Promise<T>,
): Promise<T> {
  await takeTurns(limits, turns);
  try {
    return await work();
  } catch (error) {
    await giveTurnsBack(limits, turns);
    throw error;
  }
}

/**
 * A guess at a code. It is counted before it is judged, so that guesses made at once do not pass
 * together; one that turns out to be none is given back.
 */
export function guessTurns(address: string | undefined, device?: string): Turn[] {
  if (device) return [["guesses", `device ${device}`]];
  const { host, network } = sourceNetwork(address);
  return [
    ["guesses", host],
    ["guesses_per_network", network],
  ];
}

/** A mail to an inbox: for the network that asks for it, and in all. */
function inboxTurns(email: string, network: string): Turn[] {
  return [
    ["mail_per_inbox", `${email} for network ${network}`],
    ["mail_per_inbox_in_all", email],
  ];
}

/** A mail that an account asks for. Many accounts in one network together ask as often as one. */
export const accountMailTurns = (email: string, account: string, address: string | undefined): Turn[] => [
  ["mail_per_inbox", `${email} for account ${account}`],
  ...inboxTurns(email, sourceNetwork(address).network),
];

/**
 * A mail that somebody asks for who has not signed in. A browser in which the inbox's owner has signed
 * in before is bound by nothing that others can use up.
 */
export function mailTurns(email: string, address: string | undefined, device: string | undefined): Turn[] {
  if (device) return [["mail_per_inbox", `${email} for device ${device}`]];
  const { host, network } = sourceNetwork(address);
  return [
    ["mail_per_sender", `address ${host}`],
    ["mail_per_network", network],
    ...inboxTurns(email, network),
  ];
}
