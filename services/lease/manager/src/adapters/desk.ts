import type { Store } from "@frontdesk/store/store";
import type { Kysely, Selectable } from "kysely";
import type { Desk, Rows, Session, Token, User } from "../domain/rows.ts";
import type { Tables } from "./tables.ts";

/** The manager's database behind the domain's port. */
export function createDesk(store: Store<Tables>): Desk {
  return { read: rowsOf(store.read), write: (work) => store.write((tx) => work(rowsOf(tx))) };
}

function rowsOf(db: Kysely<Tables>): Rows {
  return {
    users: userRows(db),
    sessions: sessionRows(db),
    tokens: tokenRows(db),
    audit: auditRows(db),
    versions: versionRows(db),
    rollout: rolloutRow(db),
    clear: async () => {
      for (const table of TABLES) await db.deleteFrom(table).execute();
    },
  };
}

const TABLES = [
  "lease_users",
  "lease_sessions",
  "lease_tokens",
  "lease_audit",
  "lease_config_versions",
  "lease_rollout",
] as const satisfies ReadonlyArray<keyof Tables>;

function rolloutRow(db: Kysely<Tables>): Rows["rollout"] {
  return {
    load: async () => {
      const row = await db.selectFrom("lease_rollout").selectAll().executeTakeFirst();
      if (!row) return undefined;
      const { started_at: startedAt, started_by: startedBy, filter, pace } = row;
      return { startedAt, startedBy, filter: JSON.parse(filter), pace: JSON.parse(pace) };
    },
    save: async (rollout) => {
      await db.deleteFrom("lease_rollout").execute();
      if (!rollout) return;
      const { startedAt, startedBy, filter, pace } = rollout;
      await db
        .insertInto("lease_rollout")
        .values({
          id: 1,
          started_at: startedAt,
          started_by: startedBy,
          filter: JSON.stringify(filter),
          pace: JSON.stringify(pace),
        })
        .execute();
    },
  };
}

function userRows(db: Kysely<Tables>): Rows["users"] {
  const find = async (column: "id" | "username", value: string) => {
    const row = await db.selectFrom("lease_users").selectAll().where(column, "=", value).executeTakeFirst();
    return row && userOf(row);
  };
  return {
    all: async () =>
      (await db.selectFrom("lease_users").selectAll().orderBy("username").execute()).map(userOf),
    find: (id) => find("id", id),
    named: (username) => find("username", username),
    put: async (user) => {
      const row = {
        username: user.username,
        role: user.role,
        password_hash: user.passwordHash,
        created_at: user.createdAt,
        last_sign_in_at: user.lastSignInAt,
      };
      await db
        .insertInto("lease_users")
        .values({ id: user.id, ...row })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    },
    remove: async (id) => {
      await db.deleteFrom("lease_users").where("id", "=", id).execute();
    },
  };
}

const userOf = (row: Selectable<Tables["lease_users"]>): User => ({
  id: row.id,
  username: row.username,
  role: row.role,
  passwordHash: row.password_hash,
  createdAt: row.created_at,
  lastSignInAt: row.last_sign_in_at,
});

function sessionRows(db: Kysely<Tables>): Rows["sessions"] {
  return {
    put: async ({ id, userId, createdAt, seenAt }) => {
      const row = { id, user_id: userId, created_at: createdAt, seen_at: seenAt };
      await db.insertInto("lease_sessions").values(row).execute();
    },
    find: async (id): Promise<Session | undefined> => {
      const row = await db.selectFrom("lease_sessions").selectAll().where("id", "=", id).executeTakeFirst();
      return row && { id, userId: row.user_id, createdAt: row.created_at, seenAt: row.seen_at };
    },
    seen: async (id, now) => {
      await db.updateTable("lease_sessions").set({ seen_at: now }).where("id", "=", id).execute();
    },
    remove: async (id) => {
      await db.deleteFrom("lease_sessions").where("id", "=", id).execute();
    },
    removeOf: async (userId, except = "") => {
      await db.deleteFrom("lease_sessions").where("user_id", "=", userId).where("id", "!=", except).execute();
    },
    keepOnly: async ({ createdFrom, createdTo, seenFrom }) => {
      await db
        .deleteFrom("lease_sessions")
        .where((where) =>
          where.or([
            where("created_at", "<", createdFrom),
            where("created_at", ">", createdTo),
            where("seen_at", "<", seenFrom),
          ]),
        )
        .execute();
    },
    keepNewestOf: async (userId, many) => {
      await db
        .deleteFrom("lease_sessions")
        .where("user_id", "=", userId)
        .where("id", "not in", (newest) =>
          newest
            .selectFrom("lease_sessions")
            .select("id")
            .where("user_id", "=", userId)
            .orderBy("created_at", "desc")
            .limit(many),
        )
        .execute();
    },
  };
}

function tokenRows(db: Kysely<Tables>): Rows["tokens"] {
  return {
    all: async () =>
      (await db.selectFrom("lease_tokens").selectAll().orderBy("created_at", "desc").execute()).map(tokenOf),
    byHash: async (hash) => {
      const row = await db.selectFrom("lease_tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row && tokenOf(row);
    },
    put: async (token) => {
      await db
        .insertInto("lease_tokens")
        .values({
          id: token.id,
          name: token.name,
          role: token.role,
          hash: token.hash,
          created_by: token.createdBy,
          root_user_id: token.rootUserId,
          made_with: token.madeWith,
          created_at: token.createdAt,
          expires_at: token.expiresAt,
          last_used_at: token.lastUsedAt,
        })
        .execute();
    },
    used: async (id, now) => {
      await db.updateTable("lease_tokens").set({ last_used_at: now }).where("id", "=", id).execute();
    },
    remove: async (id) =>
      (await db.deleteFrom("lease_tokens").where("id", "=", id).returning("id").executeTakeFirst()) !==
      undefined,
  };
}

const tokenOf = (row: Selectable<Tables["lease_tokens"]>): Token => ({
  id: row.id,
  name: row.name,
  role: row.role,
  hash: row.hash,
  createdBy: row.created_by,
  rootUserId: row.root_user_id,
  madeWith: row.made_with,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
});

function auditRows(db: Kysely<Tables>): Rows["audit"] {
  return {
    add: async (entry) => {
      await db.insertInto("lease_audit").values(entry).execute();
    },
    page: (before, limit) =>
      db
        .selectFrom("lease_audit")
        .selectAll()
        .$if(before !== undefined, (query) => query.where("id", "<", before as number))
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
    newestWith: (details) =>
      db
        .selectFrom("lease_audit")
        .selectAll()
        .where("details", "=", details)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst(),
    removeBefore: async (at) => {
      await db.deleteFrom("lease_audit").where("at", "<", at).execute();
    },
  };
}

function versionRows(db: Kysely<Tables>): Rows["versions"] {
  return {
    add: async (version) => {
      await db.insertInto("lease_config_versions").values(version).execute();
    },
    newest: () =>
      db.selectFrom("lease_config_versions").selectAll().orderBy("id", "desc").limit(1).executeTakeFirst(),
    find: (id) => db.selectFrom("lease_config_versions").selectAll().where("id", "=", id).executeTakeFirst(),
    list: (limit) =>
      db
        .selectFrom("lease_config_versions")
        .select(["id", "version", "at", "actor"])
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
    keepNewest: async (many) => {
      await db
        .deleteFrom("lease_config_versions")
        .where("id", "not in", (older) =>
          older.selectFrom("lease_config_versions").select("id").orderBy("id", "desc").limit(many),
        )
        .execute();
    },
  };
}
