import type { Kysely } from "kysely";
import type { SigninTables } from "./tables.ts";

/** What codes need to be kept in. Inside a transaction, so that a code is used exactly once. */
export interface CodeRows {
  put(row: SigninTables["signin_codes"]): Promise<void>;
  /** Counts one more try and answers with the row; undefined when there is none that may still be tried. */
  countTry(
    purpose: string,
    address: string,
    maxTries: number,
    ends: { after: number; until: number },
  ): Promise<{ code_hash: string } | undefined>;
  giveTryBack(purpose: string, address: string): Promise<void>;
  remove(purpose: string, address: string): Promise<void>;
  /** Removes what ended by then. */
  removeExpired(end: number): Promise<void>;
  /** Removes every code for an address, whatever its purpose. */
  removeAddress(address: string): Promise<void>;
}

export function codeRows(tx: Kysely<SigninTables>): CodeRows {
  const matching = (purpose: string, address: string) =>
    tx.updateTable("signin_codes").where("purpose", "=", purpose).where("address", "=", address);
  return {
    put: async (row) => {
      await tx
        .insertInto("signin_codes")
        .values(row)
        .onConflict((conflict) => conflict.columns(["purpose", "address"]).doUpdateSet(row))
        .execute();
    },
    countTry: (purpose, address, maxTries, ends) =>
      matching(purpose, address)
        .set((eb) => ({ tries: eb("tries", "+", 1) }))
        .where("tries", "<", maxTries)
        .where("expires_at", ">", ends.after)
        .where("expires_at", "<=", ends.until)
        .returning("code_hash")
        .executeTakeFirst(),
    giveTryBack: async (purpose, address) => {
      await matching(purpose, address)
        .set((eb) => ({ tries: eb("tries", "-", 1) }))
        .execute();
    },
    remove: async (purpose, address) => {
      await tx
        .deleteFrom("signin_codes")
        .where("purpose", "=", purpose)
        .where("address", "=", address)
        .execute();
    },
    removeExpired: async (now) => {
      await tx.deleteFrom("signin_codes").where("expires_at", "<=", now).execute();
    },
    removeAddress: async (address) => {
      await tx.deleteFrom("signin_codes").where("address", "=", address).execute();
    },
  };
}
