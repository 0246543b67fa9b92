import assert from "node:assert/strict";
import { test } from "node:test";
import { revokeToken } from "../src/domain/access.ts";
import { CLI } from "../src/domain/actor.ts";
import { findMember } from "../src/domain/member.ts";
import { setStatus } from "../src/domain/status.ts";
import { addStatus, makeDefault, removeStatus } from "../src/domain/vocabulary.ts";
import { ANNA, BERT, deskUnderTest, ENGINES } from "./desk-under-test.ts";

const STATUS = `members/${ANNA}/status`;

for (const { engine, database } of ENGINES) {
  test(`${engine}: a new organisation has eight statuses, one of them the default`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const { body } = await desk.call(await desk.token(), "GET", "statuses");
    assert.deepEqual(
      body.data.map(({ key }: { key: string }) => key),
      ["available", "in-office", "remote", "in-meeting", "focus", "away", "vacation", "sick"],
    );
    assert.deepEqual(
      body.data.filter(({ isDefault }: { isDefault: boolean }) => isDefault),
      [
        {
          key: "available",
          label: "Available",
          color: "#2f9e44",
          emoji: "🟢",
          isDefault: true,
          kind: "in",
          defaultMinutes: null,
        },
      ],
    );
    assert.equal(body.nextCursor, null);
  });

  test(`${engine}: a status is set, seen, told once, and cleared`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token("calendar");
    const { body: member } = await desk.call(token, "GET", `members/${ANNA}`);
    assert.deepEqual((await desk.call(token, "GET", STATUS)).body, {
      member: { id: member.id, email: ANNA, externalRef: null },
      status: "available",
      label: "Available",
      isDefault: true,
      expiresAt: null,
      setAt: null,
      source: "default",
    });

    desk.clock.advance(1_000);
    const expiresAt = "2026-01-01T01:00:00.000Z";
    const set = await desk.call(token, "POST", STATUS, { status: "focus", expiresAt });
    assert.deepEqual([set.status, set.body], [200, (await desk.call(token, "GET", STATUS)).body]);
    assert.deepEqual(set.body, {
      member: { id: member.id, email: ANNA, externalRef: null },
      status: "focus",
      label: "Focus",
      isDefault: false,
      expiresAt,
      setAt: "2026-01-01T00:00:01.000Z",
      source: "integration:calendar",
    });

    desk.clock.advance(1_000);
    const again = await desk.call(token, "POST", STATUS, { status: "focus", expiresAt });
    assert.deepEqual(again.body, set.body, "the same again changes nothing");

    const cleared = await desk.call(token, "DELETE", STATUS);
    assert.deepEqual([cleared.status, cleared.body.status, cleared.body.isDefault], [200, "available", true]);
    assert.equal((await desk.call(token, "DELETE", STATUS)).status, 200);

    const told = (await desk.events()).filter(({ type }) => type === "member.status.changed");
    assert.deepEqual(
      told.map(({ data }) => [data.previous, data.status].map(({ status }) => status)),
      [
        ["available", "focus"],
        ["focus", "available"],
      ],
    );
  });

  test(`${engine}: a status that has run out is gone at that moment, and told once by whoever comes first`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const expiresAt = "2026-01-01T00:01:00.000Z";
    await desk.call(token, "POST", STATUS, { status: "away", expiresAt });
    desk.clock.advance(59_999);
    assert.equal((await desk.call(token, "GET", STATUS)).body.status, "away");
    desk.clock.advance(1);
    assert.deepEqual(
      (({ status, setAt, source }) => [status, setAt, source])((await desk.call(token, "GET", STATUS)).body),
      ["available", expiresAt, "expiry"],
    );
    await desk.call(token, "POST", STATUS, { status: "sick" });
    const told = (await desk.events()).filter(({ type }) => type === "member.status.changed");
    assert.deepEqual(
      told.map(({ data }) => [data.previous, data.status].map(({ status }) => status)),
      [
        ["available", "away"],
        ["away", "available"],
        ["available", "sick"],
      ],
    );
  });

  test(`${engine}: what cannot be set is refused and changes nothing`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const before = await desk.events();
    const refusals: Array<[body: unknown, status: number, code: string]> = [
      [{ status: "levitating" }, 422, "unknown_status"],
      [{ status: "focus", expiresAt: "2026-01-01T00:00:00Z" }, 422, "expiry_in_past"],
      [{ status: "focus", expiresAt: "tomorrow" }, 422, "invalid_request"],
      [{ status: "focus", expiresAt: 5 }, 422, "invalid_request"],
      [{ status: "focus", until: "2027-01-01T00:00:00Z" }, 422, "invalid_request"],
      [{ status: "fo\u0000cus" }, 422, "invalid_request"],
      [{}, 422, "invalid_request"],
      [[], 422, "invalid_request"],
    ];
    for (const [body, status, code] of refusals) {
      const reply = await desk.call(token, "POST", STATUS, body);
      assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(body));
    }
    const { body } = await desk.call(token, "POST", STATUS, { status: 7, extra: 1 });
    assert.deepEqual(body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      "#/extra",
      "#/status",
    ]);
    assert.deepEqual(await desk.events(), before);
    assert.equal((await desk.call(token, "GET", STATUS)).body.status, "available");
  });

  test(`${engine}: many statuses are set at once, with a result for each and a unit of the rate per fifty`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    await desk.call(token, "PUT", `members/${BERT}/external-ref`, { externalRef: "B-7" });
    const { body } = await desk.call(token, "POST", "members/status:batch", {
      items: [
        { email: ANNA.toUpperCase(), status: "remote" },
        { externalRef: "B-7", status: "sick", expiresAt: "2026-01-02T00:00:00Z" },
        { email: "nobody@example.org", status: "remote" },
        { email: ANNA, status: "levitating" },
        { status: "remote" },
        { email: ANNA, externalRef: "B-7", status: "remote" },
      ],
    });
    assert.deepEqual(
      body.results.map(
        (result: {
          index: number;
          status: number;
          data?: { status: string };
          problem?: { code: string };
        }) => [result.index, result.status, result.data?.status ?? result.problem?.code],
      ),
      [
        [0, 200, "remote"],
        [1, 200, "sick"],
        [2, 404, "member_not_found"],
        [3, 422, "unknown_status"],
        [4, 422, "invalid"],
        [5, 422, "invalid"],
      ],
    );
    const items = Array.from({ length: 101 }, () => ({ email: ANNA, status: "remote" }));
    const { headers } = await desk.call(token, "POST", "members/status:batch", { items });
    assert.equal(headers.ratelimit, '"default";r=595;t=60', "two requests and three units");
    const expiresAt = new Date(desk.clock.now() + 60_000).toISOString();
    const address = `${"a".repeat(64)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}`;
    const largest = Array.from({ length: 500 }, () => ({
      email: address,
      status: "s".repeat(40),
      expiresAt,
    }));
    assert.equal((await desk.call(token, "POST", "members/status:batch", { items: largest })).status, 200);
    const tooMany = { items: Array.from({ length: 501 }, () => items[0]) };
    assert.equal((await desk.call(token, "POST", "members/status:batch", tooMany)).status, 422);
  });

  test(`${engine}: statuses that are set at once are each told, also where the token is revoked midway`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const { change } = desk.desk;
    let isRevoked = false;
    t.mock.method(desk.desk, "change", async (...asked: Parameters<typeof change>) => {
      const answer = await change(...asked);
      const [, actor] = asked;
      if (actor.kind === "integration" && !isRevoked) {
        isRevoked = true;
        await change(desk.orgId, CLI, (unit) => revokeToken(unit, actor.tokenId));
      }
      return answer;
    });
    const items = Array.from({ length: 60 }, () => ({ email: ANNA, status: "remote" }));
    const { status, body } = await desk.call(token, "POST", "members/status:batch", { items });
    assert.equal(status, 200);
    const outcomes = body.results.map(
      (each: { status: number; problem?: { code: string } }) => each.problem?.code ?? each.status,
    );
    assert.deepEqual(outcomes, [...Array(50).fill(200), ...Array(10).fill("unauthorized")]);
    assert.equal((await desk.call(token, "POST", "members/status:batch", { items })).status, 401);
  });

  test(`${engine}: the vocabulary changes with one default at all times, and members follow`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const lunch = { key: "lunch", label: "Lunch", color: "#112233", emoji: "🍲" };
    await desk.change((unit) => addStatus(unit, lunch));
    await assert.rejects(
      desk.change((unit) => addStatus(unit, lunch)),
      { code: "status_exists" },
    );
    await desk.call(token, "POST", STATUS, { status: "lunch" });
    await desk.change((unit) => makeDefault(unit, "remote"));
    await assert.rejects(
      desk.change((unit) => removeStatus(unit, "remote")),
      { code: "status_is_default" },
    );
    await desk.change((unit) => removeStatus(unit, "lunch"));
    const told = (await desk.events()).filter(({ type }) => type === "member.status.changed");
    assert.deepEqual(
      told.map(({ data }) =>
        [data.status.member, data.previous, data.status].map((x) => x.status ?? x.email),
      ),
      [
        [ANNA, "available", "lunch"],
        [BERT, "available", "remote"],
        [ANNA, "lunch", "remote"],
      ],
    );
    const { body } = await desk.call(token, "GET", "members");
    assert.deepEqual(
      body.data.map((member: { status: { status: string } }) => member.status.status),
      ["remote", "remote"],
    );
  });

  test(`${engine}: who has a status that is removed falls back to what they have chosen`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const [token, end] = [await desk.token(), "2026-01-09T00:00:00.000Z"];
    const anna = await desk.change((unit) => findMember(unit, { email: ANNA }));
    const actor = { kind: "member", memberId: anna.id } as const;
    await desk.desk.change(desk.orgId, actor, (unit) =>
      setStatus(unit, anna, { status: "vacation", expiresAt: Date.parse(end), note: "Sea" }),
    );
    await desk.call(token, "POST", STATUS, { status: "in-meeting" });
    await desk.change((unit) => removeStatus(unit, "in-meeting"));
    const { body } = await desk.call(token, "GET", STATUS);
    assert.deepEqual([body.status, body.expiresAt, body.note], ["vacation", end, "Sea"]);
    await desk.call(token, "POST", STATUS, { status: "focus" });
    await desk.change((unit) => removeStatus(unit, "vacation"));
    await desk.change((unit) => removeStatus(unit, "focus"));
    assert.equal((await desk.call(token, "GET", STATUS)).body.status, "available");
  });
}
