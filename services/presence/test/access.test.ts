import assert from "node:assert/strict";
import { test } from "node:test";
import { issueToken, revokeToken } from "../src/domain/access.ts";
import { CLI } from "../src/domain/actor.ts";
import { createOrg } from "../src/domain/org.ts";
import { callApi, deskUnderTest, ENGINES, openPresence } from "./desk-under-test.ts";

const LIST = ["GET", "members"] as const;
const wanted = { integration: "hr", name: "rollout", scopes: ["members:read"] as const, expiresAt: null };

for (const { engine, database } of ENGINES) {
  test(`${engine}: a token opens its own organisation, and the database does not hold it`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    assert.equal((await desk.call(token, ...LIST)).status, 200);
    const rows = await desk.store.read.selectFrom("tokens").selectAll().execute();
    assert.ok(!JSON.stringify(rows).includes(token));
  });

  test(`${engine}: an unknown, mistyped, expired or revoked token is refused at once, on every copy`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const other = await openPresence(t, desk.databaseUrl, desk.clock);
    const issued = await desk.change((unit) =>
      issueToken(unit, { ...wanted, expiresAt: desk.clock.now() + 60_000 }),
    );
    const status = async (token: string) => {
      const replies = [await desk.call(token, ...LIST), await callApi(other, token, ...LIST)];
      assert.equal(replies[0]?.status, replies[1]?.status);
      return replies[0]?.status;
    };
    assert.equal(await status(issued.token), 200);
    assert.equal(await status(""), 401);
    assert.equal(await status(`${issued.token.slice(0, -1)}!`), 401);
    assert.equal(await status("nonsense"), 401);
    desk.clock.advance(60_000);
    assert.equal(await status(issued.token), 401, "expired");

    const second = await desk.change((unit) => issueToken(unit, wanted));
    assert.equal(await status(second.token), 200);
    await desk.change((unit) => revokeToken(unit, second.record.id));
    assert.equal(await status(second.token), 401, "revoked");
  });

  test(`${engine}: an integration has two live tokens at most, so that one can replace the other`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const first = await desk.change((unit) => issueToken(unit, wanted));
    const second = await desk.change((unit) => issueToken(unit, wanted));
    await assert.rejects(
      desk.change((unit) => issueToken(unit, wanted)),
      { code: "too_many_tokens" },
    );
    assert.equal((await desk.call(first.token, ...LIST)).status, 200);
    assert.equal((await desk.call(second.token, ...LIST)).status, 200);
    await desk.change((unit) => revokeToken(unit, first.record.id));
    await desk.change((unit) => issueToken(unit, wanted));
  });

  test(`${engine}: two organisations cannot have one slug, and each has its own administrator`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const org = { id: "X", slug: "acme", name: "", now: 0, admin: { email: "x@example.org", name: "" } };
    await assert.rejects(createOrg(desk.desk, CLI, org), { code: "org_exists" });
    await assert.rejects(createOrg(desk.desk, CLI, { ...org, slug: "A b" }), { code: "invalid" });
  });

  test(`${engine}: 600 requests pass in any minute and the next is told when to come back, across copies`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const copies = [desk, await openPresence(t, desk.databaseUrl, desk.clock)];
    // SQLite has a single copy, which alone counts.
    const shared = engine === "postgres" ? copies : [desk];
    const token = await desk.token();
    const at = (i: number) => callApi(shared[i % shared.length] as typeof desk, token, ...LIST);

    const first = await at(0);
    assert.equal(first.headers["ratelimit-policy"], '"default";q=600;w=60');
    assert.equal(first.headers.ratelimit, '"default";r=599;t=60');
    desk.clock.advance(20_000);
    const rest = await Promise.all(Array.from({ length: 650 }, (_, i) => at(i)));
    assert.equal(rest.filter(({ status }) => status === 200).length, 599, "exactly, though all came at once");
    const refused = await at(1);
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, "rate_limited");
    assert.equal(refused.headers["retry-after"], "40");
    assert.equal(refused.headers.ratelimit, '"default";r=0;t=40');

    desk.clock.advance(40_000);
    assert.equal((await at(0)).status, 200, "the first one has left the window");
    assert.equal((await at(0)).status, 429, "the others have not");
    desk.clock.advance(20_000);
    assert.equal((await at(1)).headers.ratelimit, '"default";r=598;t=40');
    assert.equal(
      (await desk.call(await desk.token("other"), ...LIST)).status,
      200,
      "another token has its own",
    );
  });
}
