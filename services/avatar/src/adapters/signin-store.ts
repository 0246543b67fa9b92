import type { SigninRows, SigninStore } from "@frontdesk/signin/sign-in";
import type { Accounts } from "../domain/accounts.ts";
import type { Ledger, Rows } from "../domain/rows.ts";

/** The service's accounts, as signing in asks for them. */
export function signinStore(ledger: Ledger, accounts: Accounts): SigninStore {
  const rowsOf = (rows: Rows): SigninRows => ({
    codes: rows.codes,
    sessions: rows.sessions,
    factors: rows.factors,
    accounts: { findOrCreate: async (address) => (await accounts.signIn(rows, address)).id },
  });
  return { read: rowsOf(ledger.read), change: (work) => ledger.change((rows) => work(rowsOf(rows))) };
}
