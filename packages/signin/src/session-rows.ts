import type { Kysely } from "kysely";
import type { SigninTables } from "./tables.ts";

export type SessionRow = SigninTables["signin_sessions"];

/** What sessions need to be kept in. */
export interface SessionRows {
  put(row: SessionRow): Promise<void>;
  find(id: string): Promise<SessionRow | undefined>;
  /** The same, for whoever acts on it: nobody ends it until the transaction ends. */
  findLocked(id: string): Promise<SessionRow | undefined>;
  ofSubject(subject: string): Promise<SessionRow[]>;
  markSeen(id: string, now: number): Promise<void>;
  /** Whether there was one. */
  remove(subject: string, id: string): Promise<boolean>;
  removeAll(subject: string): Promise<void>;
  /** All of a subject's but one. */
  removeOthers(subject: string, kept: string): Promise<void>;
  /** All of a subject's but so many, which began last. */
  removeOldest(subject: string, kept: number): Promise<void>;
  /** Removes what ended by then. */
  removeExpired(end: number): Promise<void>;
}

export function sessionRows(tx: Kysely<SigninTables>): SessionRows {
  return {
    put: async (row) => {
      await tx.insertInto("signin_sessions").values(row).execute();
    },
    find: (id) => tx.selectFrom("signin_sessions").selectAll().where("id", "=", id).executeTakeFirst(),
    findLocked: (id) =>
      // An update of nothing, which takes the row's lock and shows its newest content.
      tx.updateTable("signin_sessions").set({ id }).where("id", "=", id).returningAll().executeTakeFirst(),
    ofSubject: (subject) =>
      tx
        .selectFrom("signin_sessions")
        .selectAll()
        .where("subject", "=", subject)
        .orderBy("created_at", "desc")
        .orderBy("id")
        .execute(),
    markSeen: async (id, now) => {
      await tx.updateTable("signin_sessions").set({ last_seen_at: now }).where("id", "=", id).execute();
    },
    remove: async (subject, id) => {
      const removed = await tx
        .deleteFrom("signin_sessions")
        .where("id", "=", id)
        .where("subject", "=", subject)
        .returning("id")
        .executeTakeFirst();
      return removed !== undefined;
    },
    removeAll: async (subject) => {
      await tx.deleteFrom("signin_sessions").where("subject", "=", subject).execute();
    },
    removeOthers: async (subject, kept) => {
      await tx.deleteFrom("signin_sessions").where("subject", "=", subject).where("id", "!=", kept).execute();
    },
    removeOldest: async (subject, kept) => {
      await tx
        .deleteFrom("signin_sessions")
        .where("subject", "=", subject)
        .where("id", "not in", (eb) =>
          eb
            .selectFrom("signin_sessions")
            .select("id")
            .where("subject", "=", subject)
            .orderBy("created_at", "desc")
            .orderBy("id")
            .limit(kept),
        )
        .execute();
    },
    removeExpired: async (now) => {
      await tx.deleteFrom("signin_sessions").where("expires_at", "<=", now).execute();
    },
  };
}
