import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { NamePolicy } from "../src/leases/dns-name.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";

const POLICY: NamePolicy = { keeps: () => false, nameOf: () => undefined, nameOf6: () => undefined };

test("a configuration is taken up although nothing can be written; what waited for people is tried when it can", (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const store = new SqliteStore(path);
  t.after(() => store.close());
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  other.exec(
    "INSERT INTO dns_name (address, wanted, state, tries, due, seq) VALUES ('10.0.0.1', 'a.example', 'refused', 0, 0, 1)",
  );
  const state = () => other.prepare("SELECT state FROM dns_name").get()?.state;
  other.exec("BEGIN IMMEDIATE");
  store.names.begin(POLICY);
  other.exec("COMMIT");
  assert.equal(state(), "refused");
  store.catchUpNames();
  assert.equal(state(), "pending");
});
