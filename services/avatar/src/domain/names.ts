import { createHash } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import type { EmailAddress } from "@frontdesk/signin/email-address";
import { refuse } from "./errors.ts";
import type { Account, Ledger } from "./rows.ts";

export interface PersonName {
  readonly firstName: string;
  readonly lastName: string | null;
}

/** Where an organisation keeps who its people are. */
export interface Directory {
  /** Rejects when the name was not taken. */
  writeName(email: EmailAddress, name: PersonName): Promise<void>;
}

/** Nobody else keeps names: the account's own row is all there is. */
export const localDirectory: Directory = { writeName: async () => {} };

/** Longer than a directory may take: who began and has not ended by then is dead. */
const NAMING_MS = 60_000;

/** Tells one name of an account from another: a change names the one that it is made to. */
export const nameVersion = ({ firstName, lastName }: Pick<Account, "firstName" | "lastName">): string =>
  createHash("sha256")
    .update(JSON.stringify([firstName, lastName]))
    .digest("base64url")
    .slice(0, 16);

/** What people are called: they say it once, and may change it later. */
export function createNames(ports: {
  ledger: Ledger;
  directory: Directory;
  clock: Clock;
  onDirectoryError: (error: Error) => void;
}) {
  /** Of several at once, one may tell the directory; it has no way to take back what a loser wrote. */
  const begin = (accountId: string, again: boolean, seen: string | undefined): Promise<Account> =>
    ports.ledger.change(async (rows) => {
      const account = await rows.lockedAccount(accountId);
      if (!account) throw refuse("no_session");
      if (account.firstName !== null && !again) throw refuse("name_already_set");
      if (seen !== undefined && seen !== nameVersion(account)) throw refuse("name_changed");
      const now = ports.clock.now();
      if (!(await rows.beginNaming(accountId, now, now + NAMING_MS)))
        throw again ? refuse("overloaded", 1) : refuse("name_already_set");
      return account;
    });
  const end = (accountId: string, name: Partial<PersonName>): Promise<void> =>
    ports.ledger.change(async (rows) => {
      const account = await rows.lockedAccount(accountId);
      if (!account) throw refuse("no_session");
      await rows.putAccount({ ...account, ...name });
      await rows.endNaming(accountId);
    });

  return {
    /** `again` changes a name that was said before; with `seen`, only the name of that version. */
    async set(
      accountId: string,
      given: { firstName: string; lastName: string | null },
      again = false,
      seen?: string,
    ): Promise<PersonName> {
      const firstName = tidied(given.firstName);
      if (!firstName) throw refuse("missing_first_name");
      const name = { firstName, lastName: tidied(given.lastName ?? "") || null };
      const account = await begin(accountId, again, seen);
      try {
        await ports.directory.writeName(account.primaryEmail, name);
      } catch (error) {
        await end(accountId, {});
        ports.onDirectoryError(error as Error);
        throw refuse("directory_failed");
      }
      await end(accountId, name);
      return name;
    },
  };
}

export type Names = ReturnType<typeof createNames>;

/** One line, no control characters, no halves of surrogate pairs, no space at its ends. */
function tidied(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (mark, at: number, whole: string) =>
      joinsLetters(mark, whole.slice(0, at), whole.slice(at + mark.length)) ? mark : " ",
    )
    .replace(/\s+/gu, " ")
    .trim();
}

/** U+200C and U+200D are spelling in Persian, Hindi and other scripts; elsewhere they are no part of a name. */
function joinsLetters(mark: string, before: string, after: string): boolean {
  return /[\u200c\u200d]/.test(mark) && /[\p{L}\p{M}]$/u.test(before) && /^[\p{L}\p{M}]/u.test(after);
}
