import type { Clock } from "@frontdesk/kit/clock";
import type { EmailAddress } from "@frontdesk/signin/email-address";
import { emailViews } from "./accounts.ts";
import { claimPurpose } from "./claims.ts";
import { refuse } from "./errors.ts";
import { hashesOf, lockedOwner } from "./owner.ts";
import type { Ledger, Rows } from "./rows.ts";
import type { Shelf } from "./shelf.ts";

const iso = (time: number) => new Date(time).toISOString();
const isoOrNull = (time: number | null | undefined) => (time ? iso(time) : null);

/** All that is held about somebody, to take along or to have forgotten. */
export function createPersonalData(ports: {
  ledger: Ledger;
  shelf: Shelf;
  clock: Clock;
  /** Deletes the mails to an address that are kept as files. */
  deleteMails: (email: EmailAddress) => Promise<void>;
}) {
  const { ledger, shelf, clock } = ports;

  async function forget(rows: Rows, accountId: string): Promise<void> {
    const { account, claims, verified } = await lockedOwner(rows, accountId);
    await rows.clearHashAvatars(hashesOf(account, verified));
    await rows.assignObjects(accountId, null, clock.now());
    for (const { email, verifiedAt } of claims) {
      // Another's sign-in code may be out for an address that the account merely claimed.
      if (verifiedAt === null) await rows.codes.remove(claimPurpose(accountId), email);
      else await rows.codes.removeAddress(email);
      await rows.removeClaim(accountId, email);
    }
    // In this order: a second factor that is being begun holds the session, and is there once that is gone.
    await rows.sessions.removeAll(accountId);
    await rows.factors.remove(accountId);
    await rows.removeAccount(accountId);
  }

  return {
    async export(accountId: string) {
      const { read } = ledger;
      const account = await read.account(accountId);
      if (!account) throw refuse("no_session");
      const claims = await read.claims(accountId);
      const sessions = await read.sessions.ofSubject(accountId);
      const factor = await read.factors.find(accountId);
      const enabled = Boolean(factor?.confirmed_at);
      const recoveryCodesLeft = enabled ? await read.factors.countRecoveryCodes(accountId) : 0;
      const { avatar } = account;
      return {
        exported_at: iso(clock.now()),
        account: {
          id: account.id,
          created_at: iso(account.createdAt),
          first_name: account.firstName,
          last_name: account.lastName,
          primary_email: account.primaryEmail,
        },
        emails: emailViews(account, claims).map((view) => {
          const claim = claims.find(({ email }) => email === view.email);
          return {
            ...view,
            claimed_at: isoOrNull(claim?.createdAt),
            verified_at: isoOrNull(claim?.verifiedAt),
          };
        }),
        admin: { granted_at: isoOrNull(await read.grantedAt(accountId)) },
        avatar: avatar && {
          kind: avatar.kind,
          collection: avatar.collection,
          config: avatar.config ?? {},
          version: account.version,
          updated_at: iso(avatar.updatedAt),
          image: avatar.image,
        },
        mfa: { enabled, recovery_codes_left: recoveryCodesLeft },
        sessions: sessions.map((session) => ({
          created_at: iso(session.created_at),
          last_seen_at: iso(session.last_seen_at),
          expires_at: iso(session.expires_at),
          user_agent: session.user_agent,
        })),
      };
    },

    /** The account and everything of it. Of its hashes only the versions stay, which say nothing about anyone. */
    async erase(accountId: string, confirm: string): Promise<void> {
      const emails = await ledger.change(async (rows) => {
        const account = await rows.lockedAccount(accountId);
        if (!account) throw refuse("no_session");
        if (confirm.trim().toLowerCase() !== account.primaryEmail) throw refuse("not_confirmed");
        const { verified } = await lockedOwner(rows, accountId);
        await forget(rows, accountId);
        return verified.map(({ email }) => email);
      });
      shelf.tidy();
      for (const email of emails) await ports.deleteMails(email);
    },

    /**
     * Has an address forgotten, whoever has it: its avatar, its claims and its codes. An account that is
     * left without a verified address goes with it. Answers with what was done.
     */
    async purge(email: EmailAddress): Promise<"account" | "address" | "nothing"> {
      const done = await ledger.change(async (rows) => {
        await rows.codes.removeAddress(email);
        const pending = await rows.removePendingClaims(email);
        const claim = await rows.verifiedClaim(email);
        if (!claim) return pending ? "address" : "nothing";
        const { account, verified } = await lockedOwner(rows, claim.accountId);
        const heir = verified.find((each) => each.email !== email);
        if (!heir) {
          await forget(rows, account.id);
          return "account";
        }
        if (account.primaryEmail === email) await rows.putAccount({ ...account, primaryEmail: heir.email });
        await rows.removeClaim(account.id, email);
        await rows.clearHashAvatars([claim.hash]);
        return "address";
      });
      shelf.tidy();
      await ports.deleteMails(email);
      return done;
    },
  };
}

export type PersonalData = ReturnType<typeof createPersonalData>;
