import type { Generated } from "kysely";

/** The database, as Kysely sees it. Times are milliseconds since the epoch. */
export interface Tables {
  avatars: AvatarsTable;
  accounts: AccountsTable;
  claims: ClaimsTable;
  admins: AdminsTable;
  objects: ObjectsTable;
  object_uses: ObjectUsesTable;
}

/** One row for each hash that ever had an avatar; without one now, only its version is left. */
export interface AvatarsTable {
  hash: string;
  version: number;
  kind: "designed" | "uploaded" | null;
  updated_at: number | null;
  /** A `SavedImage` as JSON. */
  image: string | null;
}

export interface AccountsTable {
  id: string;
  created_at: number;
  /** The address that the account goes by: always one of its verified claims. */
  primary_email: string;
  first_name: string | null;
  last_name: string | null;
  /** Until when somebody may be telling the directory the name. */
  naming_until: Generated<number | null>;
  /** The highest that the account's avatar ever had, also when there is none now. */
  version: number;
  kind: "designed" | "uploaded" | null;
  collection: string | null;
  /** Seed and options of a design, as JSON. */
  config: string | null;
  updated_at: number | null;
  /** A `SavedImage` as JSON. */
  image: string | null;
}

/** An address that an account says is its own. Of one address at most one claim is verified. */
export interface ClaimsTable {
  account_id: string;
  email: string;
  hash: string;
  created_at: number;
  verified_at: number | null;
}

export interface AdminsTable {
  account_id: string;
  granted_at: number;
}

/** Every object that is, or may be, in the object store. Whoever changes its uses locks its row first. */
export interface ObjectsTable {
  address: string;
  /** Since when nobody needs it; null while somebody does. */
  unused_since: number | null;
  /** Since when somebody is deleting it. */
  deleting_since: number | null;
}

/** Who needs an object: an account whose avatar it is part of, or a save that is under way until some time. */
export interface ObjectUsesTable {
  address: string;
  user_id: string;
  until: number | null;
}
