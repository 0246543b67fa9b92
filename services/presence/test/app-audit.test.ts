import assert from "node:assert/strict";
import { test } from "node:test";
import { createAppReader } from "../src/adapters/app-reader.ts";
import { appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES } from "./desk-under-test.ts";

interface Entry {
  readonly actor: string;
  readonly actorName: string | null;
  readonly action: string;
  readonly subjectName: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

for (const { engine, database } of ENGINES) {
  test(`${engine}: who has left keeps the name that the audit log tells of, for as long as it does`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const bert = await app.signIn(BERT);
    const { me } = (await bert("GET", "board")).body;
    await bert("PUT", "me/status", { status: "remote", until: "open" });
    await anna("DELETE", `members/${me.id}`);
    const read = async () => (await anna("GET", "audit?limit=2")).body.data as Entry[];
    const [left, set] = await read();
    assert.deepEqual(
      [left?.action, left?.actorName, left?.subjectName, left?.detail],
      ["member.left", "Anna", "Bert", { name: "Bert", email: BERT }],
    );
    assert.deepEqual(
      [set?.action, set?.actorName, set?.detail],
      ["member.status.changed", "Bert", { from: "available", to: "remote" }],
    );
    const { formerNames } = createAppReader(app.store, app.reader);
    assert.deepEqual([...(await formerNames(app.orgId, [me.id]))], [[me.id, "Bert"]]);
    assert.equal((await formerNames("another", [me.id])).size, 0, "of another organisation");
    app.clock.advance(401 * DAY_MS);
    await app.rounds.forget();
    const names = app.store.read.selectFrom("former_members").select("name");
    assert.deepEqual(await names.execute(), []);
  });

  test(`${engine}: what integrations and the clock changed is read in the audit log, too`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const token = await app.token("badges");
    const expiresAt = new Date(app.clock.now() + HOUR_MS).toISOString();
    await app.call(token, "POST", `members/${BERT}/status`, { status: "in-office", expiresAt });
    await app.call(token, "POST", `members/${BERT}/todos`, { text: "Between us" });
    app.clock.advance(HOUR_MS);
    await app.rounds.expire();
    await anna("PUT", "me/status", { status: "remote", until: "open" });
    const read = async (query = "") => (await anna("GET", `audit?by=others${query}`)).body;
    const { data, nextCursor } = await read();
    assert.deepEqual(
      (data as Entry[]).map(({ actor, action, detail }) => [
        actor.replace(/token:\w+/, "token"),
        action,
        detail,
      ]),
      [
        ["expiry", "member.status.changed", { from: "in-office", to: "available" }],
        ["integration:badges token", "todo.created", {}],
        ["integration:badges token", "member.status.changed", { from: "available", to: "in-office" }],
      ],
    );
    assert.equal(nextCursor, null);
    assert.equal(data[0].subjectName, "Bert");
    const page = await read("&limit=1");
    assert.deepEqual((await read(`&limit=2&cursor=${page.nextCursor}`)).data, data.slice(1));
    const ofExpiry = await read("&actor=expiry");
    assert.deepEqual(ofExpiry.data, data.slice(0, 1));
    assert.deepEqual((await read("&action=todo.created")).data, data.slice(1, 2));
    const people = (await anna("GET", "audit?limit=1")).body.data;
    assert.deepEqual([people[0].action, people[0].actorName], ["member.status.changed", "Anna"]);
  });
}

test("a page of what integrations changed looks at so many events and no more, and says where to go on", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const token = await app.token("badges");
  await app.call(token, "POST", `members/${BERT}/status`, { status: "in-office" });
  const [first] = (await anna("GET", "audit?by=others")).body.data;
  const { sequence } = (await anna("GET", "board")).body;
  const many = 20_001;
  await app.store.write(async (tx) => {
    const events = Array.from({ length: many }, (_, index) => ({
      org_id: app.orgId,
      sequence: sequence + 1 + index,
      id: String(index).padStart(26, "0"),
      type: "todo.created",
      occurred_at: app.clock.now(),
      data: "{}",
      source: "app",
      actor: "member:x",
    }));
    for (let from = 0; from < many; from += 1_000)
      await tx
        .insertInto("events")
        .values(events.slice(from, from + 1_000))
        .execute();
  });
  const empty = (await anna("GET", "audit?by=others")).body;
  assert.deepEqual(empty.data, []);
  const next = (await anna("GET", `audit?by=others&cursor=${empty.nextCursor}`)).body;
  assert.deepEqual([next.data, next.nextCursor], [[first], null]);
});
