import type { EmailAddress } from "./email-address.ts";
import { refuse } from "./errors.ts";
import type { Ledger } from "./rows.ts";

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

/** The one time that somebody without a name says it. */
export function createNames(ports: {
  ledger: Ledger;
  directory: Directory;
  onDirectoryError: (error: Error) => void;
}) {
  return {
    async set(accountId: string, given: { firstName: string; lastName: string | null }): Promise<PersonName> {
      const firstName = tidied(given.firstName);
      if (!firstName) throw refuse("missing_first_name");
      const name = { firstName, lastName: tidied(given.lastName ?? "") || null };
      const account = await ports.ledger.read.account(accountId);
      if (!account) throw refuse("no_session");
      if (account.firstName !== null) throw refuse("name_already_set");
      try {
        await ports.directory.writeName(account.primaryEmail, name);
      } catch (error) {
        ports.onDirectoryError(error as Error);
        throw refuse("directory_failed");
      }
      await ports.ledger.change(async (rows) => {
        const locked = await rows.lockedAccount(accountId);
        if (!locked) throw refuse("no_session");
        if (locked.firstName !== null) throw refuse("name_already_set");
        await rows.putAccount({ ...locked, ...name });
      });
      return name;
    },
  };
}

export type Names = ReturnType<typeof createNames>;

/** One line, no control characters, no space at its ends. */
function tidied(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
}
