import type { CodeRows } from "@frontdesk/signin/code-rows";
import type { EmailAddress } from "@frontdesk/signin/email-address";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import type { SecondFactorRows } from "@frontdesk/signin/second-factor-rows";
import type { SessionRows } from "@frontdesk/signin/session-rows";
import type { SavedImage } from "./saved-avatar.ts";

export interface Account {
  readonly id: string;
  readonly createdAt: number;
  readonly primaryEmail: EmailAddress;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** The highest version that its avatar ever had. */
  readonly version: number;
  readonly avatar: AccountAvatar | null;
}

export interface AccountAvatar {
  readonly kind: "designed" | "uploaded";
  readonly collection: string | null;
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly updatedAt: number;
  readonly image: SavedImage;
}

export interface Claim {
  readonly accountId: string;
  readonly email: EmailAddress;
  readonly hash: IdentityHash;
  readonly createdAt: number;
  readonly verifiedAt: number | null;
}

/** What a hash shows; null leaves its version behind. */
export interface HashAvatar {
  readonly hash: IdentityHash;
  readonly version: number;
  readonly saved: Pick<AccountAvatar, "kind" | "updatedAt" | "image"> | null;
}

/** What the domain keeps. Inside `Ledger.change` all of it is one transaction. */
export interface Rows extends ObjectRows {
  readonly codes: CodeRows;
  readonly sessions: SessionRows;
  readonly factors: SecondFactorRows;

  account(id: string): Promise<Account | undefined>;
  /** The same, and nobody else changes the account until the transaction ends. */
  lockedAccount(id: string): Promise<Account | undefined>;
  putAccount(account: Account): Promise<void>;
  removeAccount(id: string): Promise<void>;
  /** Whether nobody else is just telling the account's name; then it is the caller's to do, until some time. */
  beginNaming(id: string, now: number, until: number): Promise<boolean>;
  endNaming(id: string): Promise<void>;

  claims(accountId: string): Promise<Claim[]>;
  verifiedClaim(email: EmailAddress): Promise<Claim | undefined>;
  /** Refused with `email_taken` when the claim is verified and another account's is too. */
  putClaim(claim: Claim): Promise<void>;
  removeClaim(accountId: string, email: EmailAddress): Promise<void>;

  /** Removes the claims on an address that nobody has verified; whether there were any. */
  removePendingClaims(email: EmailAddress): Promise<boolean>;

  /** Since when an account is an admin by grant. */
  grantedAt(accountId: string): Promise<number | undefined>;
  grants(): Promise<ReadonlyArray<{ readonly account: Account; readonly grantedAt: number }>>;
  putGrant(accountId: string, grantedAt: number): Promise<void>;
  /** Whether there was one. */
  removeGrant(accountId: string): Promise<boolean>;

  hashVersions(hashes: readonly IdentityHash[]): Promise<Map<IdentityHash, number>>;
  putHashAvatars(avatars: readonly HashAvatar[]): Promise<void>;
  /** Takes away what the hashes show; their versions stay. */
  clearHashAvatars(hashes: readonly IdentityHash[]): Promise<void>;
}

/** Which objects are needed by whom; see `Shelf` for the bytes. */
export interface ObjectRows {
  /** Says that a save needs objects until some time; false when one of them is being deleted right now. */
  reserveObjects(reservation: string, addresses: readonly string[], until: number): Promise<boolean>;
  /**
   * Makes the reserved objects the account's, in the place of those it had; false when the
   * reservation has run out. Without a reservation the account is left with none.
   */
  assignObjects(accountId: string, reservation: string | null, now: number): Promise<boolean>;
  /** Ends a save that came to nothing. */
  dropReservation(reservation: string, now: number): Promise<void>;
}

export interface Ledger<R = Rows> {
  readonly read: R;
  /** One transaction: all or nothing, on disk when it resolves. */
  change<T>(work: (rows: R) => Promise<T>): Promise<T>;
}
