import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "@frontdesk/kit/log";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BoardMemberView } from "../src/domain/board.ts";
import type { ShareLinkRecord } from "../src/domain/records.ts";
import { createSharedIds } from "../src/domain/shared-ids.ts";
import { setStatus } from "../src/domain/status.ts";
import { memberFrame } from "../src/http/app-frames.ts";
import { createStreams, type StreamOptions } from "../src/http/app-streams.ts";
import { createCommonTexts } from "../src/http/common-texts.ts";
import { type LiveEvent, type LiveHub, MAX_MISSED, MAX_MISSED_MS } from "../src/http/live-hub.ts";
import { sharedFrame } from "../src/http/shared-frames.ts";
import {
  MAX_STREAMS_PER_LINK_AND_HOST,
  MAX_STREAMS_PER_PERSON,
  MAX_STREAMS_PER_SESSION,
  sessionBounds,
} from "../src/http/stream-bounds.ts";
import type { Presence } from "../src/presence.ts";
import { APP, type AppUnderTest, type Ask, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES } from "./desk-under-test.ts";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";
import { openStream, type StreamClient } from "./stream-client.ts";

async function listening(presence: Presence): Promise<{ base: string }> {
  await presence.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = presence.app.server.address() as { port: number };
  return { base: `http://127.0.0.1:${port}${APP}` };
}

const closing = (t: Closing, stream: StreamClient): StreamClient => {
  lastInFirstOut(t).after(() => stream.close());
  return stream;
};

const linkOf = async (ask: Ask, wanted: object): Promise<string> =>
  (await ask("POST", "share-links", wanted)).body.url.split("/").at(-1);

/** Bert's status, so many times. */
const setOften = (app: AppUnderTest, times: number) =>
  app.change(async (unit) => {
    for (let i = 0; i < times; i++) {
      const member = await unit.members.byEmail(BERT);
      if (member) await setStatus(unit, member, { status: i % 2 ? "focus" : "away", expiresAt: null });
    }
  });

for (const { engine, database } of ENGINES) {
  test(`${engine}: whoever has missed a few events is told them, and whoever has missed many reads anew`, async (t) => {
    const app = await appUnderTest(t, database);
    const { base } = await listening(app);
    const anna = await app.signIn(ANNA);
    const token = await linkOf(anna, { kind: "wall", name: "Lobby" });
    const { sequence } = (await anna("GET", "board")).body;
    await setOften(app, MAX_MISSED);
    const streams: Array<[string, Record<string, string>]> = [
      [`${base}/orgs/acme/stream?after=${sequence}`, { cookie: anna.cookie }],
      [`${base}/shared/${token}/stream?after=${sequence}`, {}],
    ];
    for (const [url, headers] of streams) {
      const few = closing(t, await openStream(url, headers));
      await few.until(({ id }) => id === sequence + MAX_MISSED);
      assert.equal(few.told.filter(({ name }) => name === "status").length, MAX_MISSED);
      few.close();
    }
    await setOften(app, 1);
    for (const [url, headers] of streams) {
      const many = closing(t, await openStream(url, headers));
      const reset = await many.until(({ name }) => name === "reset");
      assert.equal(reset.id, sequence + MAX_MISSED + 1);
      assert.deepEqual(
        many.told.map(({ name }) => name),
        ["hello", "reset"],
      );
    }
  });

  test(`${engine}: a backlog of long texts reaches a reader whole`, async (t) => {
    const app = await appUnderTest(t, database);
    const { base } = await listening(app);
    const anna = await app.signIn(ANNA);
    const { sequence } = (await anna("GET", "board")).body;
    const items = Array.from({ length: 100 }, () => ({ text: "\u{1f9d1}\u200d\u{1f4bb}".repeat(400) }));
    for (let i = 0; i < 10; i++) assert.equal((await anna("POST", "todos", { items })).status, 201);
    const heard = closing(
      t,
      await openStream(`${base}/orgs/acme/stream?after=${sequence}`, { cookie: anna.cookie }),
    );
    await heard.until(({ id }) => id === sequence + 1_000);
    assert.equal(heard.told.filter(({ name }) => name === "todo").length, 1_000);
  });

  test(`${engine}: a stream tells nothing from before the link was made, the member joined, or five minutes ago`, async (t) => {
    const app = await appUnderTest(t, database);
    const { base } = await listening(app);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const { body: project } = await anna("POST", "projects", { name: "Move" });
    const [todo] = (await anna("POST", "todos", { items: [{ text: "dismissal", projectId: project.id }] }))
      .body.data;
    await anna("DELETE", `todos/${todo.id}`);
    await bert("PUT", "me/status", { status: "sick", note: "chemotherapy", until: "open" });
    app.clock.advance(1_000);
    await bert("PUT", "me/status", { status: "available", until: "open" });
    app.clock.advance(1_000);
    const [wall, of] = [
      await linkOf(anna, { kind: "wall", name: "Lobby" }),
      await linkOf(anna, { kind: "project", name: "Move", projectId: project.id }),
    ];
    await app.join("dora@example.org", "member", "Dora");
    const { cookie } = await app.signIn("dora@example.org");
    await bert("PUT", "me/status", { status: "focus", until: "open" });
    const board = (await anna("GET", "board")).body.sequence;
    const heardBy = async (url: string, headers: Record<string, string>) => {
      const stream = closing(t, await openStream(url, headers));
      await stream.until(({ id }) => id === board);
      return stream.told.flatMap(({ id, name }) => (id === undefined ? [] : name));
    };
    for (const [url, headers] of [
      [`${base}/shared/${wall}/stream`, {}],
      [`${base}/shared/${of}/stream`, {}],
      [`${base}/orgs/acme/stream`, { cookie }],
    ] as const) {
      assert.deepEqual(await heardBy(`${url}?after=0`, headers), ["reset"], url);
      assert.deepEqual(await heardBy(url, { ...headers, "last-event-id": "1" }), ["reset"], url);
    }
    assert.deepEqual(await heardBy(`${base}/shared/${wall}/stream?after=${board - 1}`, {}), ["status"]);
    app.clock.advance(MAX_MISSED_MS + 1);
    assert.deepEqual(await heardBy(`${base}/shared/${wall}/stream?after=${board - 1}`, {}), ["reset"]);
  });
}

test("a stream whose caller has gone before it opened counts for nobody", () => {
  const streams = createStreams({} as LiveHub, {} as Log);
  const request = { raw: { socket: { destroyed: true } } } as FastifyRequest;
  const reply = { hijack: () => reply } as FastifyReply;
  streams.open(request, reply, { bounds: sessionBounds("anna", "session") } as unknown as StreamOptions);
  assert.equal(streams.count(), 0);
});

test("a link has so many streams from one address, and the next is refused; other links and those who are signed in have theirs", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { base } = await listening(app);
  const anna = await app.signIn(ANNA);
  const [lobby, canteen] = [
    await linkOf(anna, { kind: "wall", name: "Lobby" }),
    await linkOf(anna, { kind: "wall", name: "Canteen" }),
  ];
  const open = async (path: string, headers = {}) =>
    closing(t, await openStream(`${base}/${path}/stream`, headers));
  const others = [await open(`shared/${canteen}`), await open("orgs/acme", { cookie: anna.cookie })];
  for (let i = 0; i < MAX_STREAMS_PER_LINK_AND_HOST; i++) others.push(await open(`shared/${lobby}`));
  const refused = await open(`shared/${lobby}`);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "60"]);
  await anna("PUT", "me/status", { status: "focus", until: "open" });
  for (const other of others) await other.until(({ name }) => name === "status");
});

test("a person has so many streams in all their sessions, and the oldest ends for the next", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { base } = await listening(app);
  const bert = await app.signIn(BERT);
  const open = async (cookie: string) => closing(t, await openStream(`${base}/orgs/acme/stream`, { cookie }));
  const colleague = await open(bert.cookie);
  const streams: StreamClient[] = [];
  let cookie = "";
  while (streams.length <= MAX_STREAMS_PER_PERSON) {
    if (streams.length % MAX_STREAMS_PER_SESSION === 0) {
      app.clock.advance(3_600_000);
      ({ cookie } = await app.signIn(ANNA));
    }
    streams.push(await open(cookie));
  }
  const [oldest, ...others] = streams;
  await oldest?.ended;
  await bert("PUT", "me/status", { status: "focus", until: "open" });
  for (const other of [colleague, ...others]) await other.until(({ name }) => name === "status");
});

test("what many readers ask for is made once for each state, and again when it has run out or could not be made", async () => {
  let now = 0;
  let made = 0;
  const texts = createCommonTexts(() => now);
  const make = async () => ({ text: `text ${++made}`, until: 10 });
  assert.deepEqual(await Promise.all([texts("acme", "1", make), texts("acme", "1", make)]), [
    "text 1",
    "text 1",
  ]);
  assert.equal(await texts("acme", "2", make), "text 2");
  now = 10;
  assert.equal(await texts("acme", "2", make), "text 3");
  const fails = async () => {
    throw new Error("away");
  };
  await assert.rejects(texts("other", "1", fails), /away/);
  assert.equal(await texts("other", "1", make), "text 4");
  for (let i = 0; i < 100; i++) await texts(`org ${i}`, "1", make);
  assert.equal(await texts("acme", "2", make), "text 105", "so many are kept and no more");
});

test("somebody who joins is read once for all members who watch, and not at all for share links", async () => {
  const member = { id: "01JGFJJZ000000000000000001", name: "dora@example.org", status: { status: "away" } };
  const event: LiveEvent = {
    sequence: 7,
    type: "member.joined",
    data: { member },
    actor: "cli",
    occurredAt: "2026-01-01T00:00:00.000Z",
    made: new Map(),
  };
  let read = 0;
  const readMember = async () => {
    read++;
    return { id: member.id } as BoardMemberView;
  };
  const frames = ["one", "two", "three"].map((viewer) => memberFrame(event, viewer, readMember));
  assert.equal(new Set(await Promise.all(frames)).size, 1);
  assert.equal(read, 1);
  const ids = createSharedIds("a key of at least thirty-two characters");
  const link = { id: "link", kind: "wall" } as ShareLinkRecord;
  const shared = sharedFrame(event, link, "secret", ids);
  assert.equal(typeof shared, "string");
  assert.match(String(shared), /^id: 7\nevent: member\ndata: \{[^\n]*"name":"dora"[^\n]*"status":"away"/);
  assert.equal(sharedFrame(event, link, "secret", ids), shared);
});
