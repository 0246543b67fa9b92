import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { randomIds } from "@frontdesk/kit/ids";
import { createLog } from "@frontdesk/kit/log";
import { openStore } from "@frontdesk/store/open-store";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { folderObjects } from "../src/adapters/folder-objects.ts";
import { migrations } from "../src/adapters/migrations.ts";
import { createObjectShelf } from "../src/adapters/object-shelf.ts";
import type { Tables } from "../src/adapters/tables.ts";
import type { SavedImage } from "../src/domain/saved-avatar.ts";
import { hashOf } from "./media-fixture.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const EMAILS = ["anna@example.org", "anna@work.example"] as const;

/** When the power goes, told from the moment the save is sent. */
const MOMENTS: Array<[name: string, wait: (home: string, before: Set<string>) => Promise<void>]> = [
  ["the first object is being written", untilNewFile],
  ["most objects are written", async (home, before) => untilNewFiles(home, before, 9)],
  ["all objects are written", async (home, before) => untilNewFiles(home, before, 12)],
  ["it is drawn", () => delay(20)],
  ["it may be answered", () => delay(150)],
];

test("kill -9 in the middle of a save leaves the old avatar or the new one for all hashes, and no object too many", async (t) => {
  const home = temporaryHome(t);
  const started = await start(t, home);
  const call = await signedIn(started.api, home);
  for (const email of EMAILS.slice(1)) {
    await call("/me/emails", { email });
    await call("/me/emails/verify", { email, code: codeFor(home, email) });
  }
  await call("/me/avatar", { seed: "0" });
  let running = started;
  for (const [i, [name, wait]] of MOMENTS.entries()) {
    const before = await shown(running.media);
    const known = new Set(objectFiles(home));
    const sent = call("/me/avatar", { seed: String(i + 1) }, running.api).catch(() => undefined);
    await wait(home, known);
    running.service.child.kill("SIGKILL");
    await running.service.ended;
    const answer = await sent;

    running = await start(t, home);
    const after = await shown(running.media);
    assert.deepEqual(new Set(after.map(({ bytes }) => bytes)).size, 1, `${name}: all hashes show the same`);
    assert.deepEqual(new Set(after.map(({ version }) => version)).size, 1, name);
    const isOld = after[0]?.version === before[0]?.version;
    assert.equal(after[0]?.version, (before[0]?.version ?? 0) + (isOld ? 0 : 1), name);
    assert.equal(after[0]?.bytes === before[0]?.bytes, isOld, name);
    if (answer) assert.ok(!isOld, `${name}: what was acknowledged is there`);
  }
  running.service.child.kill("SIGTERM");
  await running.service.ended;
  await assertNoOrphans(home);
});

async function start(t: TestContext, home: string) {
  const [media, api] = [await freePort(), await freePort()];
  const service = serviceProcess(t, MAIN, {
    FRONTDESK_HOME: home,
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${media}`,
    AVATAR_API_LISTEN: `127.0.0.1:${api}`,
  });
  await service.started;
  return { service, media: `http://127.0.0.1:${media}`, api: `http://127.0.0.1:${api}` };
}

async function signedIn(first: string, home: string) {
  let cookie = "";
  const call = async (path: string, body: unknown, api = first) => {
    const headers = { "content-type": "application/json", cookie };
    const reply = await fetch(api + path, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(reply.status, 200, `${path}: ${await reply.clone().text()}`);
    cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    return reply.json();
  };
  await call("/auth/code", { email: EMAILS[0] });
  await call("/auth/verify", { email: EMAILS[0], code: codeFor(home, EMAILS[0]) });
  return call;
}

function codeFor(home: string, email: string): string {
  const outbox = join(home, "avatar/outbox");
  const mail = readdirSync(outbox)
    .sort()
    .map((name) => readFileSync(join(outbox, name), "utf8"))
    .findLast((text) => text.includes(`To: ${email}`));
  return /^ {4}(\d{6})$/m.exec(mail ?? "")?.[1] as string;
}

async function shown(media: string) {
  return Promise.all(
    EMAILS.map(async (email) => {
      const image = await fetch(`${media}/${hashOf(email)}?s=512`);
      const metadata = (await (await fetch(`${media}/${hashOf(email)}.json`)).json()) as { version: number };
      return { bytes: Buffer.from(await image.arrayBuffer()).toString("base64"), version: metadata.version };
    }),
  );
}

function objectFiles(home: string): string[] {
  const folder = join(home, "avatar/objects");
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function untilNewFiles(home: string, before: Set<string>, howMany: number): Promise<void> {
  const arrived = () => objectFiles(home).filter((name) => !before.has(name)).length;
  while (arrived() < howMany) await delay(0);
}

async function untilNewFile(home: string, before: Set<string>): Promise<void> {
  await untilNewFiles(home, before, 1);
}

/** An hour later nothing is left but what the account's avatar is made of. */
async function assertNoOrphans(home: string): Promise<void> {
  const folder = join(home, "avatar");
  const clock = { now: () => Date.now() + 3_600_000 };
  const url = pathToFileURL(join(folder, "avatar.db"));
  const store = await openStore<Tables>({ url, migrations, clock: systemClock });
  const log = createLog({ service: "avatar", level: "silent", settings: {} });
  const objects = folderObjects(join(folder, "objects"));
  await createObjectShelf({ store, objects, clock, ids: randomIds, log }).sweep();
  const { image } = await store.read.selectFrom("accounts").select("image").executeTakeFirstOrThrow();
  const saved = JSON.parse(image ?? "null") as SavedImage & { type: "image/png" };
  assert.deepEqual(objectFiles(home).sort(), Object.values(saved.objects).sort());
  const rows = await store.read.selectFrom("objects").select("address").execute();
  assert.equal(rows.length, Object.values(saved.objects).length);
  await store.close();
}
