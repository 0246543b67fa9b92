import assert from "node:assert/strict";
import { test } from "node:test";
import type { EmailAddress } from "@frontdesk/signin/email-address";
import { RETRY_MS } from "../src/delivery/schedule.ts";
import type { AppReadModel } from "../src/domain/app-read-model.ts";
import { addMember } from "../src/domain/member.ts";
import { acceptInvitations } from "../src/http/app-me-routes.ts";
import { MAX_PER_DAY } from "../src/web-app.ts";
import { appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES } from "./desk-under-test.ts";
import { fail, startReceiver } from "./receiver.ts";

const DAY_MS = 24 * 3_600_000;

for (const { engine, database } of ENGINES) {
  test(`${engine}: people are invited by mail, join by signing in, get roles and groups, and leave`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const invited = await anna("POST", "invitations", {
      emails: ["Emil@Example.org", "fay@example.org"],
      role: "reception",
      group: "Front",
    });
    assert.deepEqual(
      [invited.status, invited.body.data.map(({ email }: { email: string }) => email)],
      [201, ["emil@example.org", "fay@example.org"]],
    );
    await app.rounds.mail();
    const mail = app.mails.find(({ to }) => to.includes("emil@example.org"));
    assert.match(
      `${mail?.subject} ${mail?.text}`,
      /invited to Acme[\s\S]*http:\/\/presence\.example\/sign-in/,
    );
    for (const [emails, status] of [
      [[BERT], 409],
      [["nobody"], 422],
      [["gil@example.org", "none"], 422],
    ] as const)
      assert.equal((await anna("POST", "invitations", { emails, role: "member" })).status, status);
    assert.equal((await anna("GET", "invitations")).body.data.length, 2, "all or none");

    const emil = await app.signIn("emil@example.org");
    assert.deepEqual((await emil("GET", "/me")).body.orgs[0].role, "reception");
    const shown = (await emil("GET", "board")).body.members.at(-1);
    assert.deepEqual([shown.email, shown.group], ["emil@example.org", "Front"]);
    const joined = (await app.events()).at(-1);
    assert.deepEqual([joined?.type, joined?.data.member.group], ["member.joined", "Front"]);

    const gil = await app.signIn("gil@example.org");
    await anna("POST", "invitations", { emails: ["gil@example.org"], role: "member" });
    assert.deepEqual((await gil("GET", "/me")).body.invitations, [{ org: "Acme", role: "member" }]);
    assert.equal((await gil("POST", "/me/invitations/accept")).body.orgs.length, 1);

    const [fay] = (await anna("GET", "invitations")).body.data;
    assert.equal((await anna("POST", `invitations/${fay.id}/resend`)).status, 204);
    for (let i = 0; i < 3; i++) await anna("POST", `invitations/${fay.id}/resend`);
    const often = await anna("POST", `invitations/${fay.id}/resend`);
    assert.deepEqual([often.status, often.body.code], [429, "rate_limited"], "nobody's inbox is filled");
    assert.equal((await anna("DELETE", `invitations/${fay.id}`)).status, 204);
    assert.equal((await anna("DELETE", `invitations/${fay.id}`)).status, 404);
    assert.deepEqual((await (await app.signIn("fay@example.org"))("GET", "/me")).body.orgs, []);

    const annaId = (await anna("GET", "board")).body.me.id;
    for (const last of [
      await anna("PATCH", `members/${annaId}`, { role: "member" }),
      await anna("DELETE", `members/${annaId}`),
    ])
      assert.deepEqual([last.status, last.body.code], [409, "last_admin"]);
    const promoted = await anna("PATCH", `members/${shown.id}`, { role: "admin", group: null, name: "Emil" });
    assert.deepEqual([promoted.body.role, promoted.body.group, promoted.body.name], ["admin", null, "Emil"]);
    assert.equal((await emil("DELETE", `members/${annaId}`)).status, 204);
    assert.equal((await anna("GET", "board")).status, 404, "who was removed is a stranger");
    assert.equal((await app.events()).at(-1)?.type, "member.left");
  });

  test(`${engine}: the vocabulary says who holds a status, and removing one moves them`, async (t) => {
    const app = await appUnderTest(t, database);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const lunch = {
      key: "lunch",
      label: "Lunch",
      emoji: "👨‍👩‍👧‍👦",
      color: "#ffff00",
      kind: "away",
      defaultMinutes: 45,
    };
    const added = await anna("POST", "statuses", lunch);
    assert.deepEqual([added.status, added.body.holders], [201, 0]);
    assert.equal((await anna("POST", "statuses", lunch)).status, 409);
    await bert("PUT", "me/status", { status: "lunch" });
    const weekly = { status: "lunch", repeats: "weekly", weekday: 1, start: "12:00", end: "13:00" };
    await bert("POST", "me/planned", weekly);
    const once = { repeats: "never", from: "2026-01-01T01:00:00Z", to: "2026-01-01T02:00:00Z" };
    await anna("POST", "me/planned", { ...once, status: "lunch" });
    await app.store.write((tx) =>
      tx
        .updateTable("planned_statuses")
        .set({ next_at: null, ends_at: 0 })
        .where("ends_at", "is not", null)
        .execute(),
    );
    const list = (await anna("GET", "statuses")).body.data;
    const held = list.find(({ status }: { status: { key: string } }) => status.key === "lunch");
    assert.deepEqual([held.holders, held.planned], [1, 1], "what is over is planned no more");
    assert.equal(list[0].holders, 1, "who has chosen nothing holds the default");
    const changed = await anna("PATCH", "statuses/lunch", { label: "Mittag", after: null, kind: "in" });
    assert.deepEqual([changed.body.status.label, changed.body.status.kind], ["Mittag", "in"]);
    const keys = async () =>
      (await anna("GET", "board")).body.statuses.map(({ key }: { key: string }) => key);
    const order = await keys();
    assert.equal(order[0], "lunch");
    assert.equal((await anna("PATCH", "statuses/focus", { after: "focus" })).status, 200);
    assert.deepEqual(await keys(), order, "behind itself is where it is");
    assert.deepEqual((await anna("DELETE", "statuses/lunch")).body, { moved: 1, planned: 1 });
    assert.equal((await bert("GET", "board")).body.members[1].status.status, "available");
    assert.deepEqual((await bert("GET", "me/planned")).body.data, []);
    await anna("PATCH", "statuses/remote", { isDefault: true });
    assert.equal((await anna("DELETE", "statuses/remote")).body.code, "status_is_default");
    assert.equal((await anna("GET", "board")).body.members[0].status.status, "remote");
    for (const bad of [{ color: "red" }, { defaultMinutes: 0 }, { kind: "asleep" }, {}])
      assert.equal((await anna("PATCH", "statuses/focus", bad)).status, 422);
  });

  test(`${engine}: a token is shown once, works, is told of before it expires, and is revoked`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const made = await anna("POST", "tokens", { integration: "hr", name: "sync", scopes: ["members:read"] });
    assert.equal(made.status, 201);
    assert.equal(Date.parse(made.body.record.expiresAt) - app.clock.now(), 90 * DAY_MS);
    assert.equal((await app.call(made.body.token, "GET", "members")).status, 200);
    assert.equal((await app.call(made.body.token, "GET", "projects")).status, 403);
    const never = await anna("POST", "tokens", {
      integration: "hr",
      scopes: ["members:read"],
      expiresInDays: null,
    });
    assert.equal(never.body.record.expiresAt, null);
    const third = await anna("POST", "tokens", { integration: "hr", scopes: ["members:read"] });
    assert.equal(third.body.code, "too_many_tokens");
    assert.equal((await anna("POST", "tokens", { integration: "hr", scopes: ["all-of-it"] })).status, 422);
    assert.ok(!JSON.stringify((await anna("GET", "tokens")).body).includes(made.body.token));

    for (const days of [82, 2, 2]) {
      app.clock.advance(days * DAY_MS);
      await app.rounds.tokenExpiry();
    }
    await app.rounds.mail();
    const told = app.mails.filter(({ subject }) => subject.includes("expires soon"));
    assert.deepEqual(
      told.map(({ to }) => to),
      [[ANNA]],
      "once",
    );
    assert.match(told[0]?.text ?? "", /integration hr of acme expires at 2026-04-01/);

    const later = await app.signIn(ANNA);
    assert.equal((await later("DELETE", `tokens/${made.body.record.id}`)).status, 204);
    assert.equal((await app.call(made.body.token, "GET", "members")).status, 401);
    assert.equal((await later("DELETE", "tokens/nothing")).status, 404);
  });

  test(`${engine}: a failing webhook is read in the log, sent again, paused, rotated and removed`, async (t) => {
    const app = await appUnderTest(t, database);
    const receiver = await startReceiver(t);
    const anna = await app.signIn(ANNA);
    const made = await anna("POST", "webhooks", { url: receiver.url, events: ["project.created"] });
    assert.match(made.body.secret, /^whsec_/);
    const { id } = made.body.webhook;
    assert.ok(!JSON.stringify((await anna("GET", "webhooks")).body).includes(made.body.secret));
    const refused = await anna("POST", "webhooks", { url: "http://10.0.0.1/", events: [] });
    assert.deepEqual([refused.status, refused.body.code], [422, "invalid"]);

    receiver.behave = fail;
    await anna("POST", "projects", { name: "Move" });
    await anna("POST", `webhooks/${id}/test`);
    await app.dispatcher.idle();
    const types = (await anna("GET", `webhooks/${id}/deliveries`)).body.data.map(
      ({ type }: { type: string }) => type,
    );
    assert.deepEqual(types, ["webhook.test", "project.created"], "newest first");
    const log = await anna("GET", `webhooks/${id}/deliveries?type=project.created`);
    const [delivery] = log.body.data;
    assert.deepEqual(
      [log.body.data.length, delivery.type, delivery.state, delivery.lastStatus, delivery.attempts],
      [1, "project.created", "pending", 500, 1],
    );
    const { body: detail } = await anna("GET", `webhooks/${id}/deliveries/${delivery.id}`);
    assert.equal(
      detail.body,
      receiver.arrivals.find(({ body }) => body.type === delivery.type)?.raw.toString(),
    );
    assert.deepEqual([detail.attempts[0].status, detail.attempts[0].response], [500, "out of order"]);

    // All attempts of the schedule fail.
    for (const pause of RETRY_MS) {
      app.clock.advance(pause);
      // One of the two that wait at a time: a failed attempt ends the turn.
      for (let turn = 0; turn < 2; turn++) await app.dispatcher.idle();
    }
    const since = "2026-01-01T00:00:00Z";
    const boss = await app.signIn(ANNA);
    const [failed] = (await boss("GET", `webhooks/${id}/deliveries?outcome=failed&type=project.created`)).body
      .data;
    assert.equal(failed?.id, delivery.id);
    assert.deepEqual((await boss("GET", `webhooks/${id}/deliveries?outcome=delivered`)).body.data, []);
    const [shown] = (await boss("GET", "webhooks")).body.data;
    assert.equal(shown.failingSince, "2026-01-01T00:00:00.000Z");
    receiver.behave = (response) => response.writeHead(204).end();
    assert.deepEqual((await boss("GET", `webhooks/${id}/redeliver?since=${since}`)).body, { count: 2 });
    assert.deepEqual((await boss("POST", `webhooks/${id}/redeliver`, { since })).body, { count: 2 });
    assert.deepEqual((await boss("POST", `webhooks/${id}/redeliver`, { since })).body, { count: 0 });
    await app.dispatcher.idle();
    await boss("POST", `webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    await app.dispatcher.idle();
    const now = (await boss("GET", `webhooks/${id}/deliveries/${delivery.id}`)).body;
    assert.deepEqual([now.delivery.state, now.attempts.at(-1).status], ["delivered", 204]);

    assert.equal(
      (await boss("PATCH", `webhooks/${id}`, { state: "paused", events: [] })).body.state,
      "paused",
    );
    const rotated = await boss("POST", `webhooks/${id}/rotate`);
    assert.notEqual(rotated.body.secret, made.body.secret);
    assert.equal((await boss("PATCH", `webhooks/${id}`, { url: "http://192.168.0.1/" })).status, 422);
    assert.equal((await boss("GET", `webhooks/${id}/deliveries/nothing`)).status, 404);
    assert.equal((await boss("DELETE", `webhooks/${id}`)).status, 204);
    assert.equal((await boss("GET", `webhooks/${id}/deliveries`)).status, 404);
    const actions = (await boss("GET", "audit")).body.data.map(({ action }: { action: string }) => action);
    for (const action of [
      "webhook.created",
      "webhook.redelivered",
      "webhook.changed",
      "webhook.rotated",
      "webhook.removed",
    ])
      assert.ok(actions.includes(action), action);
  });

  test(`${engine}: the log tells which address each attempt called, though the webhook has another one by now`, async (t) => {
    const app = await appUnderTest(t, database);
    const receiver = await startReceiver(t);
    const anna = await app.signIn(ANNA);
    const old = `${receiver.url}/old`;
    const { id } = (await anna("POST", "webhooks", { url: old, events: ["project.created"] })).body.webhook;
    receiver.behave = fail;
    await anna("POST", "projects", { name: "Move" });
    await app.dispatcher.idle();
    const moved = `${receiver.url}/moved`;
    await anna("PATCH", `webhooks/${id}`, { url: moved });
    receiver.behave = (response) => response.writeHead(204).end();
    const [{ id: delivery }] = (await anna("GET", `webhooks/${id}/deliveries`)).body.data;
    await anna("POST", `webhooks/${id}/deliveries/${delivery}/redeliver`);
    await app.dispatcher.idle();
    const { url, attempts } = (await anna("GET", `webhooks/${id}/deliveries/${delivery}`)).body;
    assert.deepEqual(
      [url, ...attempts.map((each: { url: string; status: number }) => [each.url, each.status])],
      [moved, [old, 500], [moved, 204]],
    );
  });
}

test("an address that the guard refuses is a row of the log that says so", async (t) => {
  const lookup = async () => [{ address: "10.0.0.1", family: 4 }];
  const app = await appUnderTest(t, anyEngine, { lookup });
  const anna = await app.signIn(ANNA);
  const { id } = (await anna("POST", "webhooks", { url: "https://inside.example/", events: [] })).body
    .webhook;
  await anna("POST", `webhooks/${id}/test`);
  await app.dispatcher.idle();
  const [row] = (await anna("GET", `webhooks/${id}/deliveries?outcome=pending`)).body.data;
  assert.deepEqual([row.type, row.lastStatus], ["webhook.test", null]);
  assert.match(row.lastError, /10\.0\.0\.1 is private/);
  assert.ok(row.nextAttemptAt);
});

test("a change that is seen of five thousand members is made, and each is in the audit log", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  for (let from = 0; from < 5_000; from += 1_000)
    await app.change(async (unit) => {
      for (let i = from; i < from + 1_000; i++)
        await addMember(unit, { email: `m${i}@example.org`, name: "", role: "member" });
    });
  const anna = await app.signIn(ANNA);
  assert.equal((await anna("PATCH", "statuses/remote", { isDefault: true })).status, 200);
  const { items } = await app.reader.audit(app.orgId, undefined, 20_000);
  assert.equal(items.filter(({ action }) => action === "member.status.changed").length, 5_002);
  const { members } = (await anna("GET", "board")).body;
  assert.equal(
    members.filter(({ status }: { status: { status: string } }) => status.status === "remote").length,
    5_002,
  );
});

test("the audit log is read page by page, by actor and by action", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  for (const name of ["one", "two", "three"]) await anna("POST", "projects", { name });
  await anna("PATCH", "/orgs/acme", { name: "Acme & Co", closingTime: "18:30", timeZone: "Asia/Kathmandu" });
  const board = (await anna("GET", "board")).body;
  assert.deepEqual(board.org, {
    slug: "acme",
    name: "Acme & Co",
    timeZone: "Asia/Kathmandu",
    closingTime: "18:30",
  });
  const first = (await anna("GET", `audit?limit=2&actor=member:${board.me.id}`)).body;
  assert.deepEqual(
    first.data.map(({ action, actorName }: Record<string, string>) => [action, actorName]),
    [
      ["org.changed", "Anna"],
      ["project.created", "Anna"],
    ],
  );
  const rest = (await anna("GET", `audit?actor=member:${board.me.id}&cursor=${first.nextCursor}`)).body;
  assert.deepEqual([rest.data.length, rest.nextCursor], [2, null]);
  assert.equal((await anna("GET", "audit?action=member.joined")).body.data.length, 2);
  assert.equal((await anna("GET", "audit?cursor=nonsense")).status, 422);
});

test("a calendar of one's statuses is had at a secret address until that is replaced", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  assert.deepEqual((await anna("GET", "me/calendar")).body, { createdAt: null });
  await anna("PATCH", "me", { timeZone: "Europe/Berlin", name: "Anna; of, Acme" });
  await anna("PUT", "me/status", { status: "focus", note: "a\nlong; note, with \\ and 🌴".padEnd(110, "ü") });
  const once = { repeats: "never", from: "2026-02-01T00:00:00Z", to: "2026-02-08T00:00:00Z" };
  await anna("POST", "me/planned", { status: "vacation", ...once });
  await anna("POST", "me/planned", {
    status: "remote",
    repeats: "weekly",
    weekday: 7,
    start: "22:00",
    end: "06:00",
  });
  const made = await anna("POST", "me/calendar");
  const path = made.body.url.replace("http://presence.example/api/v1/app", "");
  const anyone = app.ask({});
  const { headers, body } = await anyone("GET", path);
  assert.equal(headers["content-type"], "text/calendar; charset=utf-8");
  const lines = body.split("\r\n");
  assert.ok(
    lines.every((line: string) => Buffer.byteLength(line) <= 75),
    "no line is too long",
  );
  const unfolded = body.replaceAll("\r\n ", "");
  assert.match(unfolded, /X-WR-CALNAME:Anna\\; of\\, Acme · Acme\r\n/);
  assert.match(unfolded, /DTSTART:20260101T000000Z\r\nDTEND:20260101T020000Z\r\nSUMMARY:Focus\r\n/);
  assert.match(unfolded, /DESCRIPTION:a\\nlong\\; note\\, with \\\\ and 🌴ü+\r\n/);
  assert.match(unfolded, /DTSTART:20260201T000000Z\r\nDTEND:20260208T000000Z\r\nSUMMARY:On vacation\r\n/);
  const weekly = [...unfolded.matchAll(/DTSTART:(\S+)\r\nDTEND:(\S+)\r\nSUMMARY:Remote/g)].map(
    ([, from, to]) => [from, to],
  );
  assert.equal(weekly.length, 26);
  assert.deepEqual(weekly[0], ["20260104T210000Z", "20260105T050000Z"]);
  assert.deepEqual(weekly[11], ["20260322T210000Z", "20260323T050000Z"]);
  assert.deepEqual(weekly[12], ["20260329T200000Z", "20260330T040000Z"], "summer time has begun");
  for (let times = 1; times < 30; times++) assert.equal((await anyone("GET", path)).status, 200);
  const tooMany = await anyone("GET", path);
  assert.deepEqual([tooMany.status, tooMany.headers["retry-after"]], [429, "60"]);
  const again = await anna("POST", "me/calendar");
  assert.equal((await anyone("GET", path)).body.code, "calendar_not_found");
  await anna("DELETE", "me/calendar");
  assert.equal(
    (await anyone("GET", again.body.url.replace("http://presence.example/api/v1/app", ""))).status,
    404,
  );
});

test("names, notes and emoji come back as they were written", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const name = '<img src=x onerror="alert(1)">';
  const note = "\u0001\u0007\u001b[31m\u202e\u2028evil";
  await anna("PATCH", "me", { name });
  await anna("PUT", "me/status", { status: "focus", note });
  const { body, headers } = await anna("GET", "board");
  assert.deepEqual([body.members[0].name, body.members[0].status.note], [name, note]);
  assert.match(String(headers["content-type"]), /^application\/json/);
  assert.equal((await anna("PATCH", "me", { name: "a\u0000b" })).status, 422);
  assert.equal(
    (await anna("PUT", "me/follows", { members: [body.me.id, body.me.id] })).body.members.length,
    1,
  );
  assert.deepEqual((await anna("GET", "board")).body.me.follows, [body.me.id]);
});

for (const { engine, database } of ENGINES) {
  test(`${engine}: an invitation from before somebody was added or removed lets nobody in`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const eve = "eve@example.org";
    await anna("POST", "invitations", { emails: [eve], role: "admin" });
    const id = await app.join(eve, "member", "Eve");
    assert.deepEqual((await anna("GET", "invitations")).body.data, []);
    assert.equal((await anna("DELETE", `members/${id}`)).status, 204);
    const asked = await app.signIn(eve);
    assert.deepEqual((await asked("GET", "/me")).body.orgs, []);
  });
}

test("invitations are counted by the inbox, once in a request, and not where they were refused", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const invite = (...emails: string[]) => anna("POST", "invitations", { emails, role: "member" });
  const fay = "fay@example.org";
  const many = Array.from({ length: 50 }, (_, i) => `${" ".repeat(i % 7)}${i % 2 ? fay : "FAY@example.org"}`);
  const { status, body } = await invite(...many);
  assert.deepEqual([status, body.data.length], [201, 1]);
  for (let i = 0; i < 5; i++) assert.equal((await invite("gil@example.org", "typo@")).status, 422);
  for (let i = 0; i < 5; i++) assert.equal((await invite("gil@example.org", ANNA)).status, 409);
  assert.equal((await invite("gil@example.org")).status, 201);
  for (let i = 0; i < 4; i++) assert.equal((await invite(fay)).status, 201);
  assert.equal((await invite(` ${fay} `)).body.code, "rate_limited");
});

test("an organisation invites so many people a day and no more, also where it withdraws the invitations", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  let stranger = 0;
  const invite = (count: number) =>
    anna("POST", "invitations", {
      emails: Array.from({ length: count }, () => `stranger${++stranger}@example.org`),
      role: "member",
    });
  for (let i = 0; i < MAX_PER_DAY.invitations_in_all / 50; i++) assert.equal((await invite(50)).status, 201);
  const [last] = (await anna("GET", "invitations")).body.data;
  assert.equal((await anna("DELETE", `invitations/${last.id}`)).status, 204);
  const refused = await invite(1);
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, String(DAY_MS / 1_000)]);
  const again = (await anna("GET", "invitations")).body.data[0];
  assert.equal((await anna("POST", `invitations/${again.id}/resend`)).status, 429);
  app.clock.advance(DAY_MS);
  assert.equal((await invite(1)).status, 201);
});

for (const { engine, database } of ENGINES) {
  test(`${engine}: who is no longer invited when the mails are sent gets none`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    await app.rounds.mail();
    const before = app.mails.length;
    const emails = ["fay@example.org", "gil@example.org", "hal@example.org"];
    const { body } = await anna("POST", "invitations", { emails, role: "member" });
    const fay = body.data.find(({ email }: { email: string }) => email === "fay@example.org");
    assert.equal((await anna("DELETE", `invitations/${fay.id}`)).status, 204);
    await app.join("hal@example.org", "member");
    await app.rounds.mail();
    assert.deepEqual(
      app.mails.slice(before).map(({ to }) => to),
      [["gil@example.org"]],
    );
  });
}

test("an address with a slash is invited and signs in, and who joins is who did it", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  await anna("POST", "invitations", { emails: ["ops/night@example.org"], role: "member" });
  const night = await app.signIn("ops/night@example.org");
  const { id } = (await night("GET", "board")).body.me;
  const [joined] = (await anna("GET", "audit?limit=1")).body.data;
  assert.deepEqual([joined.action, joined.actor, joined.subject], ["member.joined", `member:${id}`, id]);
});

test("signing in stands although an invitation cannot be accepted", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  await anna("POST", "invitations", { emails: ["fay@example.org"], role: "member" });
  await app.change((unit) => unit.saveVocabulary([]));
  const fay = await app.signIn("fay@example.org");
  assert.equal((await fay("GET", "/me")).body.invitations.length, 1);
});

test("an invitation to a group that nobody could see is refused; one from before is accepted without its group", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, fay] = [await app.signIn(ANNA), "fay@example.org"];
  const body = { emails: [fay], role: "member" };
  assert.equal((await anna("POST", "invitations", { ...body, group: "\u200b" })).status, 422);
  const [invited] = (await anna("POST", "invitations", { ...body, group: " Warehouse " })).body.data;
  assert.equal(invited.group, "Warehouse");
  await app.change(async (unit) => {
    const invitation = await unit.invitations.find(invited.id);
    if (invitation) await unit.invitations.save({ ...invitation, group: "\u200b" });
  });
  assert.equal((await anna("POST", `invitations/${invited.id}/resend`)).status, 204);
  await app.signIn(fay);
  const { members } = (await anna("GET", "board")).body;
  const member = members.find(({ email }: { email: string }) => email === fay);
  assert.equal(member.group, null);
});

test("an invitation that cannot be accepted stops no other, and is told", async () => {
  const tried: string[] = [];
  type Invitations = Awaited<ReturnType<AppReadModel["invitationsTo"]>>;
  const invitations = ["full", "acme"].map((id) => ({ org: { id, name: id } })) as Invitations;
  const accepting = acceptInvitations(
    {
      appReader: { invitationsTo: async () => invitations },
      desk: {
        change: async (orgId) => {
          tried.push(orgId);
          if (orgId === "full") throw new Error("no room");
          return undefined as never;
        },
      },
      ids: { next: () => "newcomer" },
    },
    "fay@example.org" as EmailAddress,
    0,
  );
  await assert.rejects(accepting, /no room/);
  assert.deepEqual(tried, ["full", "acme"]);
});

test("invitations that have ended leave room for others, and are forgotten 30 days later", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  await app.change(async (unit) => {
    for (let i = 0; i < 500; i++)
      await unit.invitations.save({
        id: unit.newId(),
        email: `e${i}@example.org`,
        role: "member",
        group: null,
        invitedBy: null,
        createdAt: unit.now,
        expiresAt: unit.now + DAY_MS,
      });
  });
  const invite = async () => {
    const anna = await app.signIn(ANNA);
    const { body } = await anna("POST", "invitations", { emails: ["fay@example.org"], role: "member" });
    return body.code ?? "invited";
  };
  assert.equal(await invite(), "too_many_invitations");
  app.clock.advance(DAY_MS);
  assert.equal(await invite(), "invited");
  const listed = async () => (await (await app.signIn(ANNA))("GET", "invitations")).body.data.length;
  assert.equal(await listed(), 501, "who has ended can be invited again");
  app.clock.advance(30 * DAY_MS + 1);
  await app.rounds.forget();
  assert.equal(await listed(), 1);
});
