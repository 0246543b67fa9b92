import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEmailAddress } from "@frontdesk/signin/email-address";
import { DatabaseAway } from "@frontdesk/store/database-away";
import { fakeClock } from "@frontdesk/testkit/clock";
import { createClaims } from "../src/domain/claims.ts";
import type { Ledger } from "../src/domain/rows.ts";

test("a database that cannot be written uses up no guesses at the codes of addresses, and no mails", async () => {
  const counted: string[] = [];
  const claims = createClaims({
    ledger: {
      read: { verifiedClaim: async () => undefined },
      change: () => Promise.reject(new DatabaseAway(new Error("database is locked"))),
    } as unknown as Ledger,
    limits: {
      consume: async (what) => void counted.push(what),
      giveBack: async (what) => void counted.splice(counted.indexOf(what), 1),
    },
    clock: fakeClock(),
    mail: async () => assert.fail("nothing is mailed"),
    codes: undefined as never,
    factor: undefined as never,
    apiUrl: "https://avatar.example",
  });
  const email = parseEmailAddress("ada@example.org");
  await assert.rejects(claims.verify("1", email, "123456", undefined, "192.0.2.1"), DatabaseAway);
  assert.deepEqual(counted, []);
  await assert.rejects(claims.add("1", email, "192.0.2.1"), DatabaseAway);
  assert.deepEqual(counted, ["mail_per_sender"], "only that the address was asked for");
});
