import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { sharedName } from "../src/domain/shared-board.ts";
import { createSharedIds } from "../src/domain/shared-ids.ts";
import { type AppUnderTest, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES, openPresence } from "./desk-under-test.ts";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";
import { openStream } from "./stream-client.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const tokenIn = (url: string) => url.split("/").at(-1) ?? "";
const DORA = "dora.nameless@example.org";

/** An avatar service that knows one picture. */
async function startAvatars(t: Closing): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(200, { "content-type": "image/png", etag: '"hash"' }).end("picture");
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  lastInFirstOut(t).after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked };
}

/** Nothing of what came may hold an address, the hash of one, an id, or a note. */
async function assertDiscreet(app: AppUnderTest, came: string): Promise<void> {
  for (const { id, email } of await app.reader.memberList(app.orgId)) {
    for (const secret of [email, sha256(email), sha256(email).slice(0, 16), id, email.split("@")[1] ?? ""])
      assert.ok(!came.includes(secret), `${secret} is in ${came.slice(0, 300)}`);
  }
  assert.ok(!/confidential/.test(came), "notes are not shown");
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: a share link shows the board without addresses, hashes and notes, live, until it is revoked`, async (t) => {
    const avatars = await startAvatars(t);
    const app = await appUnderTest(t, database, { avatarUrl: avatars.url });
    await app.app.listen({ host: "127.0.0.1", port: 0 });
    const base = `http://127.0.0.1:${(app.app.server.address() as { port: number }).port}`;
    await app.join("front@example.org", "reception", "Front");
    await app.join(DORA, "member");
    const front = await app.signIn("front@example.org");
    const bert = await app.signIn(BERT);
    const { me } = (await bert("GET", "board")).body;
    await (await app.signIn(ANNA))("PATCH", `members/${me.id}`, { group: BERT });
    await bert("PUT", "me/status", { status: "sick", note: "confidential", until: "open" });
    const made = await front("POST", "share-links", { kind: "wall", name: "Lobby" });
    assert.equal(made.status, 201);
    const token = tokenIn(made.body.url);
    assert.match(made.body.url, /^http:\/\/presence\.example\/s\/[\w-]{32}$/);
    assert.ok(!JSON.stringify((await front("GET", "share-links")).body).includes(token), "shown once");

    const anyone = app.ask({});
    const { body, headers } = await anyone("GET", `/shared/${token}`);
    assert.deepEqual([body.kind, body.name, body.org.name], ["wall", "Lobby", "Acme"]);
    assert.deepEqual(
      body.members.map(({ name, status }: Record<string, string>) => [name, status]),
      [
        ["Anna", "available"],
        ["Bert", "sick"],
        ["dora.nameless", "available"],
        ["Front", "available"],
      ],
    );
    assert.deepEqual([headers["x-robots-tag"], headers["referrer-policy"]], ["noindex", "no-referrer"]);
    await assertDiscreet(app, JSON.stringify([body, headers]));

    const face = await fetch(`${base}${body.members[0].face}`);
    assert.deepEqual(
      [face.status, face.headers.get("content-type"), await face.text()],
      [200, "image/png", "picture"],
    );
    assert.deepEqual(avatars.asked, [`/${sha256(ANNA)}?s=160`]);
    await assertDiscreet(app, JSON.stringify([...face.headers]));
    assert.equal((await anyone("GET", `/shared/${token}/faces/${sha256(ANNA)}`)).status, 404);

    const heard = await openStream(`${base}/api/v1/app/shared/${token}/stream?after=${body.sequence}`, {});
    lastInFirstOut(t).after(() => heard.close());
    await bert("PUT", "me/status", { status: "away", note: "confidential", until: "open" });
    const [, shownBert] = body.members;
    const status = await heard.until(({ name }) => name === "status");
    assert.deepEqual(status.data, { id: shownBert.id, status: "away", expiresAt: null });
    await app.join("emil@example.org", "member", "Emil");
    assert.equal((await heard.until(({ name }) => name === "member")).data.name, "Emil");
    await bert("POST", "todos", { items: [{ text: "confidential" }] });

    for (let i = 0; i < 2; i++) assert.equal((await anyone("POST", `/shared/${token}/access`)).status, 204);
    const other = app.ask({ "user-agent": "another browser" });
    await other("POST", `/shared/${token}/access`);
    const accesses = (await app.events()).filter(({ type }) => type === "share_link.accessed");
    assert.equal(accesses.length, 2, "once for each visitor in an hour");
    assert.equal(accesses[0]?.data.shareLink.name, "Lobby");
    app.clock.advance(3_600_001);
    await anyone("POST", `/shared/${token}/access`);
    assert.equal((await app.events()).filter(({ type }) => type === "share_link.accessed").length, 3);
    assert.ok((await front("GET", "share-links")).body.data[0].accessedAt);

    assert.equal((await front("DELETE", `share-links/${made.body.link.id}`)).status, 204);
    await heard.until(({ name }) => name === "revoked");
    await heard.ended;
    await assertDiscreet(app, JSON.stringify(heard.told));
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/access"],
      ["GET", "/stream"],
      ["GET", `/faces/${shownBert.id}`],
    ] as const)
      assert.equal((await anyone(method, `/shared/${token}${path}`)).body.code, "share_link_not_found", path);
    assert.deepEqual((await front("GET", "share-links")).body.data, []);
  });

  test(`${engine}: a link to a project shows its TODOs alone, and links expire`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const { body: project } = await anna("POST", "projects", { name: "Move" });
    const items = [
      { text: "boxes", projectId: project.id, externalUrl: "https://jira.example/confidential" },
      { text: "confidential" },
    ];
    await anna("POST", "todos", { items });
    const expiresAt = "2026-01-02T00:00:00Z";
    const wanted = { kind: "project", projectId: project.id, name: "For the movers", expiresAt };
    const { body } = await anna("POST", "share-links", wanted);
    const anyone = app.ask({});
    const shared = (await anyone("GET", `/shared/${tokenIn(body.url)}`)).body;
    assert.deepEqual(shared.project, { name: "Move", archived: false });
    assert.deepEqual(
      [shared.todos.map(({ text }: { text: string }) => text), shared.members.length],
      [["boxes"], 1],
    );
    assert.equal(shared.todos[0].member, shared.members[0].id);
    await assertDiscreet(app, JSON.stringify(shared));
    app.clock.advance(Date.parse(expiresAt) - app.clock.now());
    assert.equal((await anyone("GET", `/shared/${tokenIn(body.url)}`)).status, 404);
    const past = await anna("POST", "share-links", { kind: "board", name: "x", expiresAt });
    assert.deepEqual([past.status, past.body.code], [422, "expiry_in_past"]);
    const none = await anna("POST", "share-links", { kind: "project", name: "x" });
    assert.deepEqual([none.status, none.body.code], [422, "project_not_found"]);
  });
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: on a link to a project nothing open is cut off behind what is done`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const { body: project } = await anna("POST", "projects", { name: "Move" });
    const { body } = await anna("POST", "share-links", { kind: "project", name: "x", projectId: project.id });
    const items = Array(100).fill({ text: "done", projectId: project.id });
    for (let i = 0; i < 10; i++) assert.equal((await anna("POST", "todos", { items })).status, 201);
    await app.store.write((tx) => tx.updateTable("todos").set({ done_at: app.clock.now() }).execute());
    await anna("POST", "todos", { items: [{ text: "open", projectId: project.id }] });
    const shared = (await app.ask({})("GET", `/shared/${tokenIn(body.url)}`)).body;
    assert.equal(shared.todos.length, 1_000);
    assert.deepEqual(shared.todos.filter(({ done }: { done: boolean }) => !done).length, 1);
  });
}

test("revoking a link ends the streams of other copies, too", async (t) => {
  const [, postgres] = ENGINES;
  const app = await appUnderTest(t, postgres?.database ?? anyEngine);
  const anna = await app.signIn(ANNA);
  const { body } = await anna("POST", "share-links", { kind: "board", name: "Lobby" });
  const copy = await openPresence(t, app.databaseUrl, app.clock);
  await copy.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = copy.app.server.address() as { port: number };
  const path = `/api/v1/app/shared/${tokenIn(body.url)}/stream`;
  const heard = await openStream(`http://127.0.0.1:${port}${path}`, {});
  lastInFirstOut(t).after(() => heard.close());
  await heard.until(({ name }) => name === "hello");
  await anna("DELETE", `share-links/${body.link.id}`);
  await heard.until(({ name }) => name === "revoked");
  await heard.ended;
});

test("a project's link tells nothing of people who have no TODO there, nor shows their faces", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  const { body: project } = await anna("POST", "projects", { name: "Move" });
  await anna("POST", "todos", { items: [{ text: "Pack", projectId: project.id }] });
  const link = { kind: "project", projectId: project.id, name: "Movers" };
  const { body } = await anna("POST", "share-links", link);
  await app.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.app.server.address() as { port: number };
  const heard = await openStream(
    `http://127.0.0.1:${port}/api/v1/app/shared/${tokenIn(body.url)}/stream`,
    {},
  );
  lastInFirstOut(t).after(() => heard.close());
  await heard.until(({ name }) => name === "hello");
  const revisions = () =>
    heard.told.filter(({ name }) => name === "revised").map(({ data }) => data.member?.name);
  await bert("PATCH", "me", { name: "Bert, who is sick" });
  await anna("PATCH", "me", { name: "Anna B." });
  await heard.until(() => revisions().length === 2);
  assert.deepEqual(revisions(), [undefined, "Anna B."]);
});

for (const { engine, database } of ENGINES) {
  test(`${engine}: a project's link tells nobody where its people are`, async (t) => {
    const app = await appUnderTest(t, database);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const { body: project } = await anna("POST", "projects", { name: "Move" });
    await bert("POST", "todos", { items: [{ text: "Boxes", projectId: project.id }] });
    const { me } = (await bert("GET", "board")).body;
    await anna("PATCH", `members/${me.id}`, { group: "Sales" });
    await bert("PUT", "me/status", { status: "sick", until: { minutes: 600 } });
    const link = { kind: "project", projectId: project.id, name: "Movers" };
    const token = tokenIn((await anna("POST", "share-links", link)).body.url);
    const { members } = (await app.ask({})("GET", `/shared/${token}`)).body;
    const [{ id }] = members;
    const owner = { id, name: "Bert", face: `/api/v1/app/shared/${token}/faces/${id}` };
    assert.deepEqual(members, [owner]);
    await app.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.app.server.address() as { port: number };
    const heard = await openStream(`http://127.0.0.1:${port}/api/v1/app/shared/${token}/stream`, {});
    lastInFirstOut(t).after(() => heard.close());
    await heard.until(({ name }) => name === "hello");
    await bert("PATCH", "me", { name: "Bertram" });
    const revised = await heard.until(({ name }) => name === "revised");
    assert.deepEqual(revised.data.member, { ...owner, name: "Bertram" });
  });
}

test("somebody who pretends to be many visitors is told of so often and no more", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { body } = await (await app.signIn(ANNA))("POST", "share-links", { kind: "board", name: "x" });
  for (let i = 0; i < 50; i++)
    await app.ask({ "user-agent": `browser ${i}` })("POST", `/shared/${tokenIn(body.url)}/access`);
  const told = (await app.events()).filter(({ type }) => type === "share_link.accessed");
  assert.equal(told.length, 30);
});

test("an organisation has so many share links and no more", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  for (let i = 0; i < 200; i++)
    assert.equal((await anna("POST", "share-links", { kind: "board", name: "x" })).status, 201);
  const more = await anna("POST", "share-links", { kind: "board", name: "x" });
  assert.deepEqual([more.status, more.body.code], [409, "too_many_share_links"]);
});

test("no domain of an address is in a name on a share link, wherever it stands", () => {
  for (const [name, shown] of [
    ["anna@corp.example", "anna"],
    ["anna@corp.example (HR)", "anna (HR)"],
    ["Anna <anna@corp.example>, HR", "Anna <anna>, HR"],
    ["a@b.example@c.example", "a"],
    ["@anna", "anna"],
    ["Anna Ångström", "Anna Ångström"],
  ] as const)
    assert.equal(sharedName(name), shown);
});

test("names on a share link lead back to ids there, and nowhere else", () => {
  const ids = createSharedIds("a key of at least thirty-two characters");
  for (const id of [
    "01JGFJJZ000000000000000000",
    "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
    "00000000000000000000000000",
  ]) {
    const name = ids.hide("one", id);
    assert.match(name, /^[\w-]{22}$/);
    assert.equal(ids.find("one", name), id);
    assert.notEqual(ids.hide("two", id), name);
    assert.notEqual(ids.find("two", name), id);
  }
  for (const wrong of ["", "x", "é".repeat(40), "A".repeat(100)])
    assert.equal(ids.find("one", wrong), undefined);
});

test("pages that are open load themselves anew when their people get other names by another session key", async (t) => {
  const databaseUrl = await anyEngine(t);
  const home = temporaryHome(lastInFirstOut(t));
  const versionUnder = async (...secrets: string[]) => {
    const [first = "", ...others] = secrets;
    const presence = await openPresence(t, databaseUrl, fakeClock(), {
      webApp: {
        sessionKeys: [
          { id: first.slice(0, 4), secret: first },
          ...others.map((secret) => ({ id: secret.slice(0, 4), secret })),
        ],
        home,
        mail: "outbox",
        trustedProxies: [],
        folder: home,
      },
    });
    const { version } = (await presence.app.inject("/api/v1/app/config")).json();
    await presence.close();
    return version;
  };
  const [old, next] = [
    "old key of at least thirty-two characters",
    "new key of at least thirty-two characters",
  ];
  const before = await versionUnder(old);
  assert.equal(await versionUnder(old), before);
  assert.notEqual(await versionUnder(next, old), before);
});
