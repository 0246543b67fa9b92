import { codeRows } from "@frontdesk/signin/code-rows";
import { secondFactorRows } from "@frontdesk/signin/second-factor-rows";
import { signinTables } from "@frontdesk/signin/service-tables";
import { sessionRows } from "@frontdesk/signin/session-rows";
import type { SigninRows, SigninStore } from "@frontdesk/signin/sign-in";
import type { Store } from "@frontdesk/store/store";
import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/** People are known by their addresses: an account is the address itself, and what it may do is in the members. */
export function signinRows(db: Kysely<Tables>): SigninRows {
  const tables = signinTables("presence", db as unknown as Kysely<never>);
  return {
    codes: codeRows(tables),
    sessions: sessionRows(tables),
    factors: secondFactorRows(tables),
    accounts: { findOrCreate: async (address) => address },
  };
}

export const signinStore = (store: Store<Tables>): SigninStore => ({
  read: signinRows(store.read),
  change: (work) => store.write((tx) => work(signinRows(tx))),
});
