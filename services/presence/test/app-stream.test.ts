import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import type { Mail } from "@frontdesk/kit/mailer";
import { repetitions } from "@frontdesk/testkit/breadth";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { createRetention } from "../src/adapters/retention.ts";
import { CLI } from "../src/domain/actor.ts";
import { addMember, removeMember } from "../src/domain/member.ts";
import { createOrg } from "../src/domain/org.ts";
import { setStatus } from "../src/domain/status.ts";
import type { Unit } from "../src/domain/unit.ts";
import { addStatus } from "../src/domain/vocabulary.ts";
import { ALIVE_EVERY_MS } from "../src/http/app-streams.ts";
import { MAX_STREAMS_PER_SESSION } from "../src/http/stream-bounds.ts";
import type { Presence } from "../src/presence.ts";
import { APP, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES, openPresence } from "./desk-under-test.ts";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";
import { openStream, type StreamClient, type Told } from "./stream-client.ts";

const DAY_MS = 24 * 3_600_000;
const SESSION_KEY = "a key of at least thirty-two characters";

async function listening(presence: Presence): Promise<string> {
  await presence.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = presence.app.server.address() as { port: number };
  return `http://127.0.0.1:${port}${APP}/orgs/acme/stream`;
}

const closing = (t: Closing, stream: StreamClient): StreamClient => {
  lastInFirstOut(t).after(() => stream.close());
  return stream;
};

for (const { engine, database } of ENGINES) {
  test(`${engine}: two people hear of each other's changes, and of nothing that they may not see`, async (t) => {
    const app = await appUnderTest(t, database);
    const url = await listening(app);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const { sequence, members } = (await anna("GET", "board")).body;
    const bertId = members[1].id;
    const heard = closing(t, await openStream(`${url}?after=${sequence}`, { cookie: anna.cookie }));
    assert.equal(heard.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(heard.headers.get("x-accel-buffering"), "no");
    assert.equal((await heard.until(({ name }) => name === "hello")).id, undefined);

    await bert("PUT", "me/status", { status: "focus", note: "writing", until: "open" });
    const status = await heard.until(({ name }) => name === "status");
    const shown = (await anna("GET", "board")).body.members[1].status;
    assert.deepEqual(
      [status.id, status.data],
      [sequence + 1, { memberId: bertId, status: shown, previous: "available" }],
    );

    const secret = (await bert("POST", "todos", { items: [{ text: "secret" }] })).body.data[0];
    const { id: project } = (await bert("POST", "projects", { name: "Move" })).body;
    await heard.until(({ name }) => name === "project");
    assert.deepEqual(
      heard.told.find(({ id }) => id === sequence + 2),
      { id: sequence + 2, name: undefined, data: undefined },
      "the id moves past what is somebody else's",
    );
    const etag = (version: number) => ({ "if-match": `"${secret.id}-${version}"` });
    await bert("PATCH", `todos/${secret.id}`, { projectId: project }, etag(1));
    const seen = await heard.until(({ name }) => name === "todo");
    assert.equal(seen.data.text, "secret", "everyone sees what is in a project");
    await bert("PATCH", `todos/${secret.id}`, { projectId: null }, etag(2));
    assert.deepEqual((await heard.until(({ name }) => name === "todo-gone")).data, { id: secret.id });

    const dora = await app.join("dora@example.org", "reception", "Dora");
    assert.deepEqual((await heard.until(({ name }) => name === "member")).data.role, "reception");
    await app.change((unit) => removeMember(unit, "dora@example.org"));
    assert.deepEqual((await heard.until(({ name }) => name === "left")).data, { id: dora });
    await app.change((unit) =>
      addStatus(unit, { key: "lunch", label: "Lunch", color: "#000000", emoji: "" }),
    );
    await heard.until(({ name }) => name === "changed");
    const ids = heard.told.flatMap(({ id }) => id ?? []);
    assert.deepEqual(
      ids,
      ids.map((_, i) => sequence + 1 + i),
      "each event once, in order",
    );
  });

  test(`${engine}: past what is kept the stream says reset, and goes on from there`, async (t) => {
    const app = await appUnderTest(t, database);
    const url = await listening(app);
    const set = (status: string) =>
      app.change(async (unit) => {
        const member = await unit.members.byEmail(BERT);
        if (member) await setStatus(unit, member, { status, expiresAt: null });
      });
    for (const status of ["focus", "away"]) await set(status);
    app.clock.advance(31 * DAY_MS);
    await set("sick");
    await createRetention(app.store, app.clock)();
    const { cookie } = await app.signIn(ANNA);
    const heard = closing(t, await openStream(url, { cookie, "last-event-id": "1" }));
    assert.equal((await heard.until(({ name }) => name === "reset")).id, 5);
    await set("remote");
    const next = await heard.until(({ name }) => name === "status");
    assert.deepEqual([next.id, next.data.status.status], [6, "remote"]);
    const ahead = closing(t, await openStream(url, { cookie, "last-event-id": "999" }));
    assert.equal(
      (await ahead.until(({ name }) => name === "reset")).id,
      6,
      "as after a backup was brought back",
    );
  });
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: a page that was away is told by the revision of what changed without an event`, async (t) => {
    const app = await appUnderTest(t, database);
    const url = await listening(app);
    const anna = await app.signIn(ANNA);
    const { body: made } = await anna("POST", "share-links", { kind: "wall", name: "Lobby" });
    const token = made.url.split("/").at(-1);
    const shared = url.replace(/orgs.*/, `shared/${token}/stream`);
    const boards = async () => [
      (await anna("GET", "board")).body,
      (await app.ask({})("GET", `/shared/${token}`)).body,
    ];
    const greetings = async (place: string) => {
      const told = [];
      for (const [address, headers] of [
        [url, { cookie: anna.cookie }],
        [shared, {}],
      ] as const) {
        const stream = closing(t, await openStream(address, { ...headers, "last-event-id": place }));
        told.push((await stream.until(({ name }) => name === "hello")).data.revision);
        stream.close();
      }
      return told;
    };
    const before = await boards();
    const place = String(before[0].sequence);
    assert.deepEqual(
      await greetings(place),
      before.map(({ revision }) => revision),
    );
    await anna("PATCH", "statuses/sick", { label: "Unwell" });
    const after = await boards();
    assert.equal(after[0].sequence, before[0].sequence, "no event tells of it");
    assert.notEqual(after[0].revision, before[0].revision);
    assert.deepEqual(
      await greetings(place),
      after.map(({ revision }) => revision),
    );
  });
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: a profile that changes is told by itself, and a revoked link to nobody else`, async (t) => {
    const app = await appUnderTest(t, database);
    const url = await listening(app);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const links = [];
    for (const name of ["Lobby", "Canteen"])
      links.push((await anna("POST", "share-links", { kind: "wall", name })).body);
    const [lobby, canteen] = links;
    const token = lobby.url.split("/").at(-1);
    const { revision, sequence } = (await anna("GET", "board")).body;
    const streams = [
      closing(t, await openStream(`${url}?after=${sequence}`, { cookie: anna.cookie })),
      closing(t, await openStream(url.replace(/orgs.*/, `shared/${token}/stream`), {})),
    ];
    for (const stream of streams) await stream.until(({ name }) => name === "hello");
    await bert("PATCH", "me", { name: "Bertha" });
    const board = (await anna("GET", "board")).body;
    const shared = (await app.ask({})("GET", `/shared/${token}`)).body;
    const shown = [board.members[1], shared.members[1]];
    for (const [i, stream] of streams.entries()) {
      const told = await stream.until(({ name }) => name === "revised");
      assert.deepEqual(told.data, { before: revision, revision: board.revision, member: shown[i] });
      assert.equal(told.data.member.name, "Bertha");
    }
    await anna("DELETE", `share-links/${canteen.link.id}`);
    for (const stream of streams) {
      const told = await stream.until(({ data }) => data?.before === board.revision);
      assert.deepEqual([told.name, told.data.member], ["revised", null]);
      assert.ok(!stream.told.some(({ name }) => name === "changed"));
    }
  });
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: stream and board agree about who set a status, also after an undo`, async (t) => {
    const app = await appUnderTest(t, database);
    const url = await listening(app);
    await app.join("front@example.org", "reception", "Front");
    const [anna, bert, front] = [
      await app.signIn(ANNA),
      await app.signIn(BERT),
      await app.signIn("front@example.org"),
    ];
    const { sequence, members } = (await anna("GET", "board")).body;
    const bertId = members[1].id;
    const heard = closing(t, await openStream(`${url}?after=${sequence}`, { cookie: anna.cookie }));
    let told = sequence;
    const agree = async (step: string) => {
      app.clock.advance(1_000);
      const shown = (await anna("GET", "board")).body;
      told += 1;
      assert.equal(shown.sequence, told, step);
      const { data } = await heard.until(({ id }) => id === told);
      assert.deepEqual(data.status, shown.members[1].status, step);
    };
    await bert("PUT", "me/status", { status: "focus", until: "open" });
    await agree("Bert sets it");
    const set = await front("PUT", `members/${bertId}/status`, { status: "sick", until: "open" });
    await agree("reception sets it");
    await front("POST", `members/${bertId}/status/undo`, { undo: set.body.undo });
    await agree("reception takes it back");
    await front("PUT", `members/${bertId}/status`, { status: "sick", until: "open" });
    await agree("reception sets it again");
    const { undo } = (await bert("PUT", "me/status", { status: "away", until: "open" })).body;
    await agree("Bert sets it himself");
    await bert("POST", "me/status/undo", { undo });
    await agree("Bert takes that back");
    await anna("DELETE", "statuses/sick");
    await agree("the status is no more");
  });
}

test("a stream ends when its session does, when its viewer is no member any more, and with the service", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const url = await listening(app);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  const removed = closing(t, await openStream(url, { cookie: bert.cookie }));
  const left = closing(t, await openStream(url, { cookie: anna.cookie }));
  await removed.until(({ name }) => name === "hello");
  await app.change((unit) => removeMember(unit, BERT));
  await removed.ended;
  await app.change((unit) => addStatus(unit, { key: "lunch", label: "Lunch", color: "#000000", emoji: "" }));
  await left.until(({ name }) => name === "changed");
  await anna("POST", "/auth/logout");
  await app.change((unit) => addStatus(unit, { key: "tea", label: "Tea", color: "#000000", emoji: "" }));
  await left.ended;

  const again = await app.signIn(ANNA);
  const last = closing(t, await openStream(url, { cookie: again.cookie }));
  await last.until(({ name }) => name === "hello");
  await Promise.all([app.app.close(), last.ended]);
});

test("every 15 seconds comes a sign of life that pages hear, and a stream whose session has ended ends with it", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const app = await appUnderTest(t, anyEngine);
  const url = await listening(app);
  const anna = await app.signIn(ANNA);
  const heard = closing(t, await openStream(url, { cookie: anna.cookie }));
  await heard.until(({ name }) => name === "hello");
  for (const count of [1, 2]) {
    t.mock.timers.tick(ALIVE_EVERY_MS);
    const signs = () => heard.told.filter(({ name }) => name === "alive");
    await until("the sign has come", () => signs().length === count);
    assert.deepEqual(signs().at(-1), { name: "alive", data: {}, id: undefined });
    assert.equal(heard.comments.length, count, "a comment, too, for readers who know of no such event");
  }
  await anna("POST", "/auth/logout");
  t.mock.timers.tick(ALIVE_EVERY_MS);
  await heard.ended;
});

test("one session has so many streams and no more: the oldest ends for the next", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const url = await listening(app);
  const anna = await app.signIn(ANNA);
  const open = async () => closing(t, await openStream(url, { cookie: anna.cookie }));
  const oldest = await open();
  const others: StreamClient[] = [];
  while (others.length < MAX_STREAMS_PER_SESSION) others.push(await open());
  await oldest.ended;
  await anna("PUT", "me/status", { status: "focus", until: "open" });
  for (const other of others) await other.until(({ name }) => name === "status");
});

interface Copy {
  readonly child: ChildProcess;
  readonly url: string;
}

async function startCopy(t: Closing, databaseUrl: URL, home: string): Promise<Copy> {
  const program = fileURLToPath(new URL("./stream-copy.ts", import.meta.url));
  const child = spawn(process.execPath, [program, databaseUrl.href, home, SESSION_KEY], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? home },
  });
  lastInFirstOut(t).after(() => kill(child));
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    if (line.startsWith("ready "))
      return { child, url: `http://127.0.0.1:${line.slice(6)}${APP}/orgs/acme/stream` };
  }
  throw new Error("the copy ended before it was ready");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}

const byId = <T extends { id: string }>(members: readonly T[]): T[] =>
  members.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** What a page knows: the board as it was read, and what the stream told since. */
function createPage(
  read: () => Promise<{ sequence: number; members: Array<{ id: string; status: object }> }>,
) {
  let members = new Map<string, { id: string; status: object }>();
  let last = 0;
  let reading: Promise<void> | undefined;
  const load = async () => {
    const board = await read();
    members = new Map(board.members.map((member) => [member.id, member]));
    last = board.sequence;
  };
  return {
    load,
    last: () => last,
    /** What came twice, or after a gap. */
    wrong: [] as string[],
    hear({ id, name, data }: Told) {
      if (id !== undefined) {
        if (name !== "reset" && id !== last + 1) this.wrong.push(`${id} came after ${last}`);
        last = id;
      }
      if (name === "status") {
        const member = members.get(data.memberId);
        if (member) members.set(member.id, { ...member, status: data.status });
      } else if (name === "member") members.set(data.id, data);
      else if (name === "left") members.delete(data.id);
      else if (name === "reset") reading = load();
    },
    settled: () => reading,
    board: () => byId([...members.values()]),
  };
}

const ROUNDS = repetitions(12, 60);

for (const { engine, database } of ENGINES) {
  test(`${engine}: through disconnects and killed copies a page shows what the server does, and misses nothing`, async (t) => {
    const databaseUrl = await database(t);
    const home = temporaryHome(lastInFirstOut(t));
    const mails: Mail[] = [];
    const sessionKeys = [{ id: "test", secret: SESSION_KEY }] as const;
    const presence = await openPresence(t, databaseUrl, systemClock, {
      mailer: async (mail) => void mails.push(mail),
      webApp: { sessionKeys, home, mail: "outbox", trustedProxies: [], folder: home },
    });
    const orgId = "01JGFJJZ000000000000000000";
    const admin = { email: ANNA, name: "Anna" };
    await createOrg(presence.desk, CLI, { id: orgId, slug: "acme", name: "Acme", now: Date.now(), admin });
    await presence.start();
    const own = await listening(presence);
    const base = own.replace(/\/orgs.*/, "");
    const post = (path: string, body: object) =>
      fetch(`${base}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    await post("/auth/code", { email: ANNA });
    const code = /^ {4}(\d{6})$/m.exec(mails[0]?.text ?? "")?.[1];
    const cookie =
      String((await post("/auth/verify", { email: ANNA, code })).headers.getSetCookie()[0]).split(";")[0] ??
      "";
    const readBoard = async () =>
      (await fetch(own.replace(/stream$/, "board"), { headers: { cookie } })).json();

    // On a file there is one service; on PostgreSQL another copy serves the page, and is killed.
    let copy = engine === "postgres" ? await startCopy(t, databaseUrl, home) : undefined;
    const page = createPage(readBoard);
    await page.load();
    let number = 0;
    const change = (work: (unit: Unit) => Promise<unknown>) => presence.desk.change(orgId, CLI, work);
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)] as T;
    const something = () =>
      change(async (unit) => {
        const emails = (await presence.reader.memberList(orgId)).map(({ email }) => email);
        const dice = Math.random();
        if (dice < 0.15)
          await addMember(unit, { email: `m${++number}@example.org`, name: "", role: "member" });
        else if (dice < 0.22 && emails.length > 3)
          await removeMember(unit, pick(emails.filter((email) => email !== ANNA)));
        else {
          const member = await unit.members.byEmail(pick(emails));
          const expiresAt = Math.random() < 0.3 ? Date.now() + 200 : null;
          if (member)
            await setStatus(unit, member, { status: pick(["focus", "away", "remote", "sick"]), expiresAt });
        }
      });
    for (let round = 0; round < ROUNDS; round++) {
      const url = copy && Math.random() < 0.7 ? copy.url : own;
      const stream = await openStream(url, { cookie, "last-event-id": String(page.last()) }, (told) =>
        page.hear(told),
      );
      for (let i = 0; i < 8; i++) await something();
      if (copy && url === copy.url && round % 4 === 3) {
        await kill(copy.child);
        await stream.ended;
        copy = await startCopy(t, databaseUrl, home);
      } else if (Math.random() < 0.5) {
        await until("the page shows the server's board", async () => {
          await page.settled();
          const board = await readBoard();
          return isDeepStrictEqual(page.board(), byId(board.members));
        });
      }
      stream.close();
      await stream.ended;
    }
    const stream = closing(
      t,
      await openStream(own, { cookie, "last-event-id": String(page.last()) }, (told) => page.hear(told)),
    );
    await until("nothing is left to expire", async () =>
      (await presence.reader.memberList(orgId)).every(({ statusExpiresAt }) => statusExpiresAt === null),
    );
    const { last } = await presence.reader.eventRange(orgId);
    await until("the page has heard everything", () => page.last() === last);
    assert.deepEqual(page.wrong, []);
    assert.deepEqual(page.board(), byId((await readBoard()).members));
    stream.close();
  });
}
