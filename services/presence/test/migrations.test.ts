import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "@frontdesk/store/open-store";
import { fakeClock } from "@frontdesk/testkit/clock";
import { migrations } from "../src/adapters/migrations.ts";
import { createStoreReader } from "../src/adapters/store-reader.ts";
import type { Tables } from "../src/adapters/tables.ts";
import { ENGINES } from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";

for (const { engine, database } of ENGINES) {
  test(`${engine}: organisations from before vocabularies had an identifier keep each its own`, async (t) => {
    const url = await database(t);
    const clock = fakeClock();
    const [first] = Object.entries(migrations.steps);
    const old = { service: "presence", steps: Object.fromEntries([first ?? []]) };
    const before = await openStore<Tables>({ url, migrations: old, clock });
    const definition = { label: "L", color: "#000000", emoji: "", isDefault: true };
    for (const id of ["A", "B"]) {
      const vocabulary = JSON.stringify([{ key: `key-${id.toLowerCase()}`, ...definition }]);
      const row = { id, slug: id.toLowerCase(), name: id, sequence: 0, purged_through: 0, created_at: 0 };
      await before.write((tx) =>
        tx
          .insertInto("orgs")
          .values({ ...row, vocabulary } as Tables["orgs"])
          .execute(),
      );
    }
    await before.close();

    const store = await openStore<Tables>({ url, migrations, clock });
    lastInFirstOut(t).after(() => store.close());
    const reader = createStoreReader(store);
    for (const id of ["A", "B", "A"]) {
      assert.deepEqual(
        (await reader.vocabulary(id)).map(({ key }) => key),
        [`key-${id.toLowerCase()}`],
      );
    }
  });
}
