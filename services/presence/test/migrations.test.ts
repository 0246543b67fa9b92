import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "@frontdesk/store/open-store";
import { fakeClock } from "@frontdesk/testkit/clock";
import { migrations } from "../src/adapters/migrations.ts";
import { createStoreReader } from "../src/adapters/store-reader.ts";
import type { Tables } from "../src/adapters/tables.ts";
import { boardStatus } from "../src/domain/status-kind.ts";
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

  test(`${engine}: an organisation from before the web app keeps its members, their statuses and its vocabulary`, async (t) => {
    const url = await database(t);
    const clock = fakeClock();
    const earlier = Object.entries(migrations.steps).filter(([name]) => /^00[1-4]-/.test(name));
    const old = { service: "presence", steps: Object.fromEntries(earlier) };
    const before = await openStore<Tables>({ url, migrations: old, clock });
    const definition = { color: "#000000", emoji: "" };
    const vocabulary = JSON.stringify([
      { key: "here", label: "Here", isDefault: true, ...definition },
      { key: "sick", label: "Sick", isDefault: false, ...definition },
    ]);
    const org = { id: "A", slug: "a", name: "A", sequence: 0, purged_through: 0, created_at: 0 };
    const status = { status_key: "sick", status_expires_at: 5, status_set_at: 1, status_source: "cli" };
    const member = {
      id: "M",
      org_id: "A",
      email: "m@example.org",
      name: "M",
      role: "member",
      joined_at: 0,
      refs: "{}",
    };
    await before.write(async (tx) => {
      await tx
        .insertInto("orgs")
        .values({ ...org, vocabulary, vocabulary_id: "A" } as Tables["orgs"])
        .execute();
      await tx
        .insertInto("members")
        .values({ ...member, ...status } as Tables["members"])
        .execute();
    });
    await before.close();

    const store = await openStore<Tables>({ url, migrations, clock });
    lastInFirstOut(t).after(() => store.close());
    const reader = createStoreReader(store);
    const found = await reader.orgBySlug("a");
    assert.deepEqual(found?.settings, {
      name: "A",
      timeZone: "UTC",
      closingMinute: null,
      nextClosingAt: null,
      closedAt: null,
    });
    assert.deepEqual(
      found?.vocabulary.map(boardStatus).map(({ key, kind, defaultMinutes }) => [key, kind, defaultMinutes]),
      [
        ["here", "in", null],
        ["sick", "out", null],
      ],
    );
    const [kept] = await reader.memberList("A");
    assert.deepEqual(
      [kept?.statusKey, kept?.statusExpiresAt, kept?.statusNote, kept?.ownKey, kept?.group, kept?.timeZone],
      ["sick", 5, null, null, null, null],
    );
  });

  test(`${engine}: what was planned once and runs is known as that from before runs were marked`, async (t) => {
    const url = await database(t);
    const clock = fakeClock();
    const earlier = Object.entries(migrations.steps).filter(([name]) => name < "011" || !/^\d/.test(name));
    const old = { service: "presence", steps: Object.fromEntries(earlier) };
    const before = await openStore<Tables>({ url, migrations: old, clock });
    const org = { id: "A", slug: "a", name: "A", sequence: 0, purged_through: 0, created_at: 0 };
    const vacation = { status_key: "vacation", status_note: "Sea", status_expires_at: 9, status_set_at: 1 };
    const own = { own_key: "vacation", own_note: "Sea", own_expires_at: 9, own_set_at: 1 };
    const plan = { org_id: "A", status_key: "vacation", starts_at: 1, ends_at: 9, created_at: 0 };
    await before.write(async (tx) => {
      const vocabulary = JSON.stringify([{ key: "here", label: "Here", isDefault: true }]);
      await tx
        .insertInto("orgs")
        .values({ ...org, vocabulary, vocabulary_id: "A" } as Tables["orgs"])
        .execute();
      const members = {
        runs: { ...vacation, ...own, status_source: "plan" },
        beneath: { ...own, status_key: "sick", status_expires_at: 9, status_source: "integration:hr" },
        another: { ...vacation, ...own, status_note: null, own_note: null, status_source: "app" },
        ahead: { ...vacation, ...own, status_source: "app" },
        within: { ...vacation, ...own, own_key: "sick", own_expires_at: 99, status_source: "plan" },
      };
      for (const [id, status] of Object.entries(members)) {
        const common = { id, org_id: "A", email: id, name: id, role: "member", joined_at: 0, refs: "{}" };
        await tx
          .insertInto("members")
          .values({ ...common, ...status } as Tables["members"])
          .execute();
        const row = {
          ...plan,
          id: `P-${id}`,
          member_id: id,
          note: "Sea",
          next_at: id === "ahead" ? 1 : null,
        };
        await tx
          .insertInto("planned_statuses")
          .values(row as Tables["planned_statuses"])
          .execute();
      }
    });
    await before.close();

    const store = await openStore<Tables>({ url, migrations, clock });
    lastInFirstOut(t).after(() => store.close());
    const kept = await createStoreReader(store).memberList("A");
    assert.deepEqual(Object.fromEntries(kept.map((each) => [each.id, [each.statusPlan, each.ownPlan]])), {
      runs: ["P-runs", "P-runs"],
      beneath: [null, "P-beneath"],
      another: [null, null],
      ahead: [null, null],
      within: ["P-within", null],
    });
    const within = { key: "vacation", note: "Sea", expiresAt: 9, setAt: 1, plan: "P-within" };
    assert.deepEqual(
      kept.map(({ id, passing }) => [id, passing]).filter(([, passing]) => passing !== null),
      [["within", [within]]],
    );
  });
}
