import type { Clock } from "@frontdesk/kit/clock";
import type { Mailer } from "@frontdesk/kit/mailer";
import { codeMail } from "@frontdesk/signin/code-mail";
import { type EmailAddress, identityHash } from "@frontdesk/signin/email-address";
import {
  accountMailTurns,
  giveTurnsBack,
  guessTurns,
  type Turn,
  takeTurns,
  takingTurns,
} from "@frontdesk/signin/limits";
import type { OneTimeCodes } from "@frontdesk/signin/one-time-codes";
import type { SecondFactor } from "@frontdesk/signin/second-factor";
import { missingFactor, sendMail } from "@frontdesk/signin/sign-in";
import { type EmailView, emailView, emailViews } from "./accounts.ts";
import { refuse } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { hashesOf, lockedOwner, nextVersion } from "./owner.ts";
import type { Account, Claim, Ledger, Rows } from "./rows.ts";

const MAX_CLAIMS = 50;

/** A code that was mailed for one account's claim is no good for another's. */
export const claimPurpose = (accountId: string) => `claim by ${accountId}`;

/** The addresses of an account: said, verified, promoted, removed. */
export function createClaims(ports: {
  ledger: Ledger;
  codes: OneTimeCodes;
  factor: SecondFactor;
  limits: Limits;
  mail: Mailer;
  clock: Clock;
  apiUrl: string;
}) {
  const { ledger, codes, limits, clock } = ports;

  return {
    /** Mails a code to an address; one that is the account's already is left as it is. */
    async add(accountId: string, email: EmailAddress, source: string): Promise<EmailView> {
      const sender: Turn = ["mail_per_sender", `account ${accountId}`];
      // Before anything is said of the address, so that nobody finds out whose account has which.
      await takeTurns(limits, [sender]);
      const known = await ledger.read.verifiedClaim(email);
      if (known && known.accountId !== accountId) throw refuse("email_taken");
      const turns = known ? [] : accountMailTurns(email, accountId, source);
      const say = async (rows: Rows) => {
        const { account, claims } = await lockedOwner(rows, accountId);
        const own = claims.find((claim) => claim.email === email);
        if (own?.verifiedAt) return { view: emailView(account, own), code: undefined };
        if (await rows.verifiedClaim(email)) throw refuse("email_taken");
        if (!own && claims.length >= MAX_CLAIMS) throw refuse("too_many_emails");
        const claim = own ?? pendingClaim(accountId, email, clock.now());
        if (!own) await rows.putClaim(claim);
        return {
          view: emailView(account, claim),
          code: await codes.issue(rows.codes, claimPurpose(accountId), email),
        };
      };
      const { view, code } = await takingTurns(limits, turns, () => ledger.change(say));
      if (code) {
        const mail = codeMail(email, code, "connect this address to your account at", ports.apiUrl);
        await sendMail(ports, mail, [sender, ...turns]);
      }
      return view;
    },

    /** Makes a claim a verified one; it shows the account's avatar from then on. */
    async verify(
      accountId: string,
      email: EmailAddress,
      code: string,
      totp: string | undefined,
      source: string,
    ): Promise<EmailView> {
      const purpose = claimPurpose(accountId);
      const guess = guessTurns(source);
      const judge = async (rows: Rows) => {
        const { account, claims, verified } = await lockedOwner(rows, accountId);
        if ((await codes.check(rows.codes, purpose, email, code)) === "wrong")
          return { refused: "invalid_code" as const };
        const refused = await missingFactor(ports, rows, accountId, totp);
        if (refused === "mfa_required") await rows.codes.giveTryBack(purpose, email);
        if (refused) return { refused };
        if (await rows.verifiedClaim(email)) return { refused: "email_taken" as const };
        await codes.spend(rows.codes, purpose, email);
        const now = clock.now();
        const own = claims.find((claim) => claim.email === email) ?? pendingClaim(accountId, email, now);
        const claim = { ...own, verifiedAt: now };
        // First: where somebody else is just verifying the address, this waits, and is refused.
        await rows.putClaim(claim);
        await showAvatar(rows, account, claim, verified);
        return { view: emailView(account, claim) };
      };
      // It throws where nothing was judged: others have used up the account's tries, or nothing can be written.
      const result = await takingTurns(limits, guess, () => ledger.change(judge));
      const isGuess = result.refused === "invalid_code" || result.refused === "invalid_totp";
      if (!isGuess) await giveTurnsBack(limits, guess);
      // Refused outside the transaction: the try that was made counts.
      if (result.refused) throw refuse(result.refused);
      return result.view;
    },

    promote: (accountId: string, email: EmailAddress) =>
      ledger.change(async (rows): Promise<{ email: EmailView; emails: EmailView[] }> => {
        const { account, claims, verified } = await lockedOwner(rows, accountId);
        const claim = verified.find((each) => each.email === email);
        if (!claim) throw refuse("email_not_verified");
        const promoted = { ...account, primaryEmail: email };
        await rows.putAccount(promoted);
        return { email: emailView(promoted, claim), emails: emailViews(promoted, claims) };
      }),

    remove: (accountId: string, email: EmailAddress) =>
      ledger.change(async (rows): Promise<void> => {
        const { account, claims } = await lockedOwner(rows, accountId);
        const claim = claims.find((each) => each.email === email);
        if (!claim) throw refuse("email_not_found");
        if (email === account.primaryEmail) throw refuse("primary_email");
        await rows.removeClaim(accountId, email);
        await rows.codes.remove(claimPurpose(accountId), email);
        // An unverified claim shows nothing, and the hash may be somebody else's.
        if (claim.verifiedAt !== null) await rows.clearHashAvatars([claim.hash]);
      }),
  };
}

export type Claims = ReturnType<typeof createClaims>;

function pendingClaim(accountId: string, email: EmailAddress, now: number): Claim {
  return { accountId, email, hash: identityHash(email), createdAt: now, verifiedAt: null };
}

/**
 * A newly verified hash shows what the account shows. Where it has had that version before, or a later
 * one, something else was seen under the number: then all the account's hashes move on to a new one.
 */
async function showAvatar(
  rows: Rows,
  account: Account,
  claim: Claim,
  verified: readonly Claim[],
): Promise<void> {
  if (!account.avatar) return;
  const saved = account.avatar;
  const had = (await rows.hashVersions([claim.hash])).get(claim.hash) ?? 0;
  if (had < account.version) {
    await rows.putHashAvatars([{ hash: claim.hash, version: account.version, saved }]);
    return;
  }
  const hashes = hashesOf(account, [...verified, claim]);
  const version = await nextVersion(rows, account, hashes);
  await rows.putAccount({ ...account, version });
  await rows.putHashAvatars(hashes.map((hash) => ({ hash, version, saved })));
}
