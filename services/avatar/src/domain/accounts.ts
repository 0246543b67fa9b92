import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import { type EmailAddress, identityHash } from "@frontdesk/signin/email-address";
import { refuse } from "./errors.ts";
import type { Account, Claim, Ledger, Rows } from "./rows.ts";

/** An address as the owner sees it. */
export interface EmailView {
  readonly email: EmailAddress;
  readonly hash: string;
  readonly verified: boolean;
  readonly primary: boolean;
}

export function createAccounts(ports: { ledger: Ledger; clock: Clock; ids: Ids }) {
  return {
    /** The account that has verified an address; the first time, a new one. */
    async signIn(rows: Rows, email: EmailAddress): Promise<Account> {
      const claim = await rows.verifiedClaim(email);
      const known = claim && (await rows.account(claim.accountId));
      if (known) return known;
      const now = ports.clock.now();
      const account: Account = {
        id: ports.ids.next(),
        createdAt: now,
        primaryEmail: email,
        firstName: null,
        lastName: null,
        version: 0,
        avatar: null,
      };
      await rows.putAccount(account);
      await rows.putClaim({
        accountId: account.id,
        email,
        hash: identityHash(email),
        createdAt: now,
        verifiedAt: now,
      });
      return account;
    },

    async get(id: string): Promise<Account> {
      const account = await ports.ledger.read.account(id);
      if (!account) throw refuse("no_session");
      return account;
    },

    emails: async (account: Account): Promise<EmailView[]> =>
      emailViews(account, await ports.ledger.read.claims(account.id)),
  };
}

export type Accounts = ReturnType<typeof createAccounts>;

/** The primary address first. */
export function emailViews(account: Account, claims: readonly Claim[]): EmailView[] {
  return claims
    .map((claim) => emailView(account, claim))
    .sort((one, other) => Number(other.primary) - Number(one.primary));
}

export const emailView = (account: Account, { email, hash, verifiedAt }: Claim): EmailView => ({
  email,
  hash,
  verified: verifiedAt !== null,
  primary: email === account.primaryEmail,
});

/** What to call someone: the name as far as there is one, else what stands before the @. */
export function displayName({ firstName, lastName, primaryEmail }: Account): string {
  const name = [firstName, lastName].filter((part) => part).join(" ");
  return name || (primaryEmail.split("@")[0] as string);
}
