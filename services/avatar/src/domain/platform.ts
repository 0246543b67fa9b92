import type { Clock } from "@frontdesk/kit/clock";
import { isId } from "@frontdesk/kit/ids";
import type { EmailAddress } from "@frontdesk/signin/email-address";
import { displayName } from "./accounts.ts";
import { refuse } from "./errors.ts";
import type { Account, Ledger } from "./rows.ts";

export interface Admin {
  readonly id: string;
  readonly email: EmailAddress;
  readonly name: string;
  readonly source: "setting" | "grant";
  readonly granted_at: string | null;
}

/** Counts over all accounts; nothing of any one of them. */
export interface Metrics {
  readonly totals: {
    readonly accounts: number;
    readonly verified_emails: number;
    readonly accounts_with_avatar: number;
    readonly adoption_pct: number;
    readonly multi_email_accounts: number;
  };
  readonly by_kind: ReadonlyArray<{ readonly kind: string; readonly accounts: number }>;
  readonly by_style: ReadonlyArray<{ readonly style: string; readonly accounts: number }>;
  readonly generated_at: string;
}

export type Counts = Omit<Metrics, "generated_at" | "totals"> & {
  readonly totals: Omit<Metrics["totals"], "adoption_pct">;
};

/** Who looks after the service: those whom the operator names, and those whom they have made admins. */
export function createPlatform(ports: {
  ledger: Ledger;
  count: () => Promise<Counts>;
  named: readonly EmailAddress[];
  clock: Clock;
}) {
  const { ledger, clock } = ports;

  async function isNamed(accountId: string): Promise<boolean> {
    const claims = await ledger.read.claims(accountId);
    return claims.some(({ email, verifiedAt }) => verifiedAt !== null && ports.named.includes(email));
  }
  const isAdmin = async (accountId: string): Promise<boolean> =>
    (await ledger.read.grantedAt(accountId)) !== undefined || (await isNamed(accountId));
  const describe = (account: Account, grantedAt: number | undefined): Admin => ({
    id: account.id,
    email: account.primaryEmail,
    name: displayName(account),
    source: grantedAt === undefined ? "setting" : "grant",
    granted_at: grantedAt === undefined ? null : new Date(grantedAt).toISOString(),
  });

  return {
    isAdmin,

    async mustBeAdmin(accountId: string): Promise<void> {
      if (!(await isAdmin(accountId))) throw refuse("not_admin");
    },

    async admins(): Promise<Admin[]> {
      const admins = new Map<string, Admin>();
      for (const { account, grantedAt } of await ledger.read.grants())
        admins.set(account.id, describe(account, grantedAt));
      for (const email of ports.named) {
        const claim = await ledger.read.verifiedClaim(email);
        const account = claim && (await ledger.read.account(claim.accountId));
        if (account) admins.set(account.id, describe(account, undefined));
      }
      return [...admins.values()].sort((one, other) => (one.email < other.email ? -1 : 1));
    },

    grant: (email: EmailAddress): Promise<Admin> =>
      ledger.change(async (rows) => {
        const claim = await rows.verifiedClaim(email);
        const account = claim && (await rows.lockedAccount(claim.accountId));
        if (!account) throw refuse("no_account");
        const grantedAt = (await rows.grantedAt(account.id)) ?? clock.now();
        await rows.putGrant(account.id, grantedAt);
        return describe(account, grantedAt);
      }),

    async accountOf(email: EmailAddress): Promise<Account> {
      const claim = await ledger.read.verifiedClaim(email);
      const account = claim && (await ledger.read.account(claim.accountId));
      if (!account) throw refuse("no_account");
      return account;
    },

    /** `by` is the admin who asks; the command line asks for nobody. */
    async revoke(accountId: string, by: string | undefined): Promise<void> {
      if (accountId === by) throw refuse("cannot_revoke_self");
      if (!isId(accountId)) throw refuse("admin_not_found");
      // First: a refusal changes nothing.
      if (await isNamed(accountId)) throw refuse("admin_by_setting");
      const revoked = await ledger.change((rows) => rows.removeGrant(accountId));
      if (!revoked) throw refuse("admin_not_found");
    },

    async metrics(): Promise<Metrics> {
      const { totals, by_kind, by_style } = await ports.count();
      const share = totals.accounts === 0 ? 0 : totals.accounts_with_avatar / totals.accounts;
      return {
        totals: { ...totals, adoption_pct: Math.round(share * 10_000) / 100 },
        by_kind,
        by_style,
        generated_at: new Date(clock.now()).toISOString(),
      };
    },
  };
}

export type Platform = ReturnType<typeof createPlatform>;
