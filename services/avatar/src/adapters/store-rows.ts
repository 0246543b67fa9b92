import { codeRows } from "@frontdesk/signin/code-rows";
import type { EmailAddress } from "@frontdesk/signin/email-address";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import { secondFactorRows } from "@frontdesk/signin/second-factor-rows";
import { signinTables } from "@frontdesk/signin/service-tables";
import { sessionRows } from "@frontdesk/signin/session-rows";
import type { Store } from "@frontdesk/store/store";
import type { Insertable, Kysely, Selectable } from "kysely";
import { refuse } from "../domain/errors.ts";
import type { Account, Claim, Ledger, Rows } from "../domain/rows.ts";
import { objectRows } from "./object-rows.ts";
import type { AccountsTable, ClaimsTable, Tables } from "./tables.ts";

/** Clocks of several copies differ. */
const MAX_SKEW_MS = 60_000;

export function storeLedger(store: Store<Tables>): Ledger {
  return {
    read: storeRows(store.read),
    change: (work) => store.write((tx) => work(storeRows(tx))),
  };
}

export function storeRows(tx: Kysely<Tables>): Rows {
  const signin = signinTables("avatar", tx as unknown as Kysely<never>);
  return {
    ...objectRows(tx),
    codes: codeRows(signin),
    sessions: sessionRows(signin),
    factors: secondFactorRows(signin),
    account: async (id) => {
      const row = await tx.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
      return row && accountOf(row);
    },
    lockedAccount: async (id) => {
      // An update of nothing, which takes the row's lock and shows its newest content.
      const update = tx.updateTable("accounts").set({ id }).where("id", "=", id).returningAll();
      const row = await update.executeTakeFirst();
      return row && accountOf(row);
    },
    putAccount: async (account) => {
      const row = rowOf(account);
      await tx
        .insertInto("accounts")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    },
    removeAccount: async (id) => {
      await tx.deleteFrom("accounts").where("id", "=", id).execute();
    },

    beginNaming: async (id, now, until) => {
      const begun = await tx
        .updateTable("accounts")
        .set({ naming_until: until })
        .where("id", "=", id)
        .where(({ or, eb }) =>
          or([
            eb("naming_until", "is", null),
            eb("naming_until", "<=", now),
            // Nobody takes that long, by whichever copy's clock: it was set back.
            eb("naming_until", ">", until + MAX_SKEW_MS),
          ]),
        )
        .returning("id")
        .executeTakeFirst();
      return begun !== undefined;
    },
    endNaming: async (id) => {
      await tx.updateTable("accounts").set({ naming_until: null }).where("id", "=", id).execute();
    },

    claims: async (accountId) => {
      const rows = await tx
        .selectFrom("claims")
        .selectAll()
        .where("account_id", "=", accountId)
        .orderBy("created_at")
        .orderBy("email")
        .execute();
      return rows.map(claimOf);
    },
    verifiedClaim: async (email) => {
      const row = await tx
        .selectFrom("claims")
        .selectAll()
        .where("email", "=", email)
        .where("verified_at", "is not", null)
        .executeTakeFirst();
      return row && claimOf(row);
    },
    putClaim: async ({ accountId, email, hash, createdAt, verifiedAt }) => {
      const row = { account_id: accountId, email, hash, created_at: createdAt, verified_at: verifiedAt };
      try {
        await tx
          .insertInto("claims")
          .values(row)
          .onConflict((conflict) => conflict.columns(["account_id", "email"]).doUpdateSet(row))
          .execute();
      } catch (error) {
        throw isUniqueViolation(error) ? refuse("email_taken") : error;
      }
    },
    removeClaim: async (accountId, email) => {
      await tx.deleteFrom("claims").where("account_id", "=", accountId).where("email", "=", email).execute();
    },

    removePendingClaims: async (email) => {
      const removed = await tx
        .deleteFrom("claims")
        .where("email", "=", email)
        .where("verified_at", "is", null)
        .returning("email")
        .execute();
      return removed.length > 0;
    },

    ...grantRows(tx),

    hashVersions: async (hashes) => {
      if (hashes.length === 0) return new Map();
      const rows = await tx
        .selectFrom("avatars")
        .select(["hash", "version"])
        .where("hash", "in", hashes)
        .execute();
      return new Map(rows.map(({ hash, version }) => [hash as IdentityHash, version]));
    },
    putHashAvatars: async (avatars) => {
      if (avatars.length === 0) return;
      await tx
        .insertInto("avatars")
        .values(
          avatars.map(({ hash, version, saved }) => ({
            hash,
            version,
            kind: saved?.kind ?? null,
            updated_at: saved?.updatedAt ?? null,
            image: saved && JSON.stringify(saved.image),
          })),
        )
        .onConflict((conflict) =>
          conflict.column("hash").doUpdateSet((eb) => ({
            version: eb.ref("excluded.version"),
            kind: eb.ref("excluded.kind"),
            updated_at: eb.ref("excluded.updated_at"),
            image: eb.ref("excluded.image"),
          })),
        )
        .execute();
    },
    clearHashAvatars: async (hashes) => {
      if (hashes.length === 0) return;
      await tx
        .updateTable("avatars")
        .set({ kind: null, updated_at: null, image: null })
        .where("hash", "in", hashes)
        .execute();
    },
  };
}

function grantRows(tx: Kysely<Tables>): Pick<Rows, "grantedAt" | "grants" | "putGrant" | "removeGrant"> {
  return {
    grantedAt: async (accountId) => {
      const admins = tx.selectFrom("admins").select("granted_at").where("account_id", "=", accountId);
      return (await admins.executeTakeFirst())?.granted_at;
    },
    grants: async () => {
      const rows = await tx
        .selectFrom("admins")
        .innerJoin("accounts", "accounts.id", "admins.account_id")
        .selectAll("accounts")
        .select("admins.granted_at")
        .execute();
      return rows.map(({ granted_at, ...account }) => ({
        account: accountOf(account),
        grantedAt: granted_at,
      }));
    },
    putGrant: async (accountId, grantedAt) => {
      await tx
        .insertInto("admins")
        .values({ account_id: accountId, granted_at: grantedAt })
        .onConflict((conflict) => conflict.column("account_id").doNothing())
        .execute();
    },
    removeGrant: async (accountId) => {
      const removed = await tx
        .deleteFrom("admins")
        .where("account_id", "=", accountId)
        .returning("account_id")
        .executeTakeFirst();
      return removed !== undefined;
    },
  };
}

function accountOf(row: Selectable<AccountsTable>): Account {
  const { kind, image, config, updated_at } = row;
  return {
    id: row.id,
    createdAt: row.created_at,
    primaryEmail: row.primary_email as EmailAddress,
    firstName: row.first_name,
    lastName: row.last_name,
    version: row.version,
    avatar:
      kind && image
        ? {
            kind,
            collection: row.collection,
            config: config === null ? null : JSON.parse(config),
            updatedAt: updated_at ?? 0,
            image: JSON.parse(image),
          }
        : null,
  };
}

function rowOf({ avatar, ...account }: Account): Insertable<AccountsTable> {
  return {
    id: account.id,
    created_at: account.createdAt,
    primary_email: account.primaryEmail,
    first_name: account.firstName,
    last_name: account.lastName,
    version: account.version,
    kind: avatar?.kind ?? null,
    collection: avatar?.collection ?? null,
    config: avatar?.config ? JSON.stringify(avatar.config) : null,
    updated_at: avatar?.updatedAt ?? null,
    image: avatar && JSON.stringify(avatar.image),
  };
}

function claimOf(row: ClaimsTable): Claim {
  return {
    accountId: row.account_id,
    email: row.email as EmailAddress,
    hash: row.hash as IdentityHash,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
  };
}

/** SQLite says so in a sentence, PostgreSQL by a number. */
function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "23505" || Boolean(message?.startsWith("UNIQUE constraint failed"));
}
