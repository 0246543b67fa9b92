import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import { refuse } from "./errors.ts";
import type { Account, Claim, Rows } from "./rows.ts";

/** The account and its verified claims, which nobody else changes until the transaction ends. */
export async function lockedOwner(rows: Rows, accountId: string) {
  const account = await rows.lockedAccount(accountId);
  if (!account) throw refuse("no_session");
  const claims = await rows.claims(accountId);
  return { account, claims, verified: claims.filter(({ verifiedAt }) => verifiedAt !== null) };
}

/** The hashes of the verified addresses, the primary one first. */
export function hashesOf(account: Account, verified: readonly Claim[]): IdentityHash[] {
  const isPrimary = ({ email }: Claim) => Number(email === account.primaryEmail);
  return [...verified].sort((one, other) => isPrimary(other) - isPrimary(one)).map(({ hash }) => hash);
}

/** One more than the account or any of the hashes ever had: what clients keep for ever under a version stays true. */
export async function nextVersion(
  rows: Rows,
  account: Account,
  hashes: readonly IdentityHash[],
): Promise<number> {
  const versions = await rows.hashVersions(hashes);
  return 1 + Math.max(account.version, ...versions.values());
}
