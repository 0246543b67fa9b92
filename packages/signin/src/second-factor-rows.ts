import type { Kysely } from "kysely";
import type { SigninTables } from "./tables.ts";

export type TotpRow = SigninTables["signin_totp"];

/** What the second factor needs to be kept in. Inside a transaction, so that nothing is used twice. */
export interface SecondFactorRows {
  find(subject: string): Promise<TotpRow | undefined>;
  /** The same, for whoever acts on it: it stays as it is until the transaction ends. */
  findLocked(subject: string): Promise<TotpRow | undefined>;
  put(row: TotpRow): Promise<void>;
  /** Takes the time step of a code; false when it, or a later one, has been taken. */
  takeStep(subject: string, step: number): Promise<boolean>;
  remove(subject: string): Promise<void>;
  putRecoveryCodes(subject: string, hashes: readonly string[]): Promise<void>;
  /** Uses a recovery code up; false when there is none. */
  takeRecoveryCode(subject: string, hash: string): Promise<boolean>;
  countRecoveryCodes(subject: string): Promise<number>;
}

export function secondFactorRows(tx: Kysely<SigninTables>): SecondFactorRows {
  return {
    find: (subject) =>
      tx.selectFrom("signin_totp").selectAll().where("subject", "=", subject).executeTakeFirst(),
    findLocked: (subject) =>
      // An update of nothing, which takes the row's lock and shows its newest content.
      tx
        .updateTable("signin_totp")
        .set({ subject })
        .where("subject", "=", subject)
        .returningAll()
        .executeTakeFirst(),
    put: async (row) => {
      await tx
        .insertInto("signin_totp")
        .values(row)
        .onConflict((conflict) => conflict.column("subject").doUpdateSet(row))
        .execute();
    },
    takeStep: async (subject, step) => {
      const taken = await tx
        .updateTable("signin_totp")
        .set({ last_step: step })
        .where("subject", "=", subject)
        .where("last_step", "<", step)
        .returning("subject")
        .executeTakeFirst();
      return taken !== undefined;
    },
    remove: async (subject) => {
      await tx.deleteFrom("signin_totp").where("subject", "=", subject).execute();
      await tx.deleteFrom("signin_recovery_codes").where("subject", "=", subject).execute();
    },
    putRecoveryCodes: async (subject, hashes) => {
      await tx.deleteFrom("signin_recovery_codes").where("subject", "=", subject).execute();
      await tx
        .insertInto("signin_recovery_codes")
        .values(hashes.map((code_hash) => ({ subject, code_hash })))
        .execute();
    },
    takeRecoveryCode: async (subject, hash) => {
      const taken = await tx
        .deleteFrom("signin_recovery_codes")
        .where("subject", "=", subject)
        .where("code_hash", "=", hash)
        .returning("subject")
        .executeTakeFirst();
      return taken !== undefined;
    },
    countRecoveryCodes: async (subject) => {
      const { count } = await tx
        .selectFrom("signin_recovery_codes")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("subject", "=", subject)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}
