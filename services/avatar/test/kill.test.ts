import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { randomIds } from "@frontdesk/kit/ids";
import { createLog } from "@frontdesk/kit/log";
import { openStore } from "@frontdesk/store/open-store";
import { freePort } from "@frontdesk/testkit/free-port";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { s3Server } from "@frontdesk/testkit/s3";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { migrations } from "../src/adapters/migrations.ts";
import { createObjectShelf } from "../src/adapters/object-shelf.ts";
import { openObjects } from "../src/adapters/open-objects.ts";
import type { Tables } from "../src/adapters/tables.ts";
import type { SavedImage } from "../src/domain/saved-avatar.ts";
import { hashOf } from "./media-fixture.ts";
import { checkedFetch } from "./openapi-check.ts";
import { storedAddresses } from "./what-is-kept.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const EMAILS = ["anna@example.org", "anna@work.example"] as const;

/** Where everything is kept, and what a process must be told to keep it there. */
interface House {
  readonly home: string;
  readonly env: Record<string, string>;
  readonly database: URL;
  readonly objects: URL;
  readonly objectsFolder: string;
  /** Whether another copy lives on when one is killed. */
  readonly hasTwin: boolean;
}

const HOUSES: Record<string, (t: TestContext) => Promise<House>> = {
  "SQLite and a folder": async (t) => {
    const home = temporaryHome(t);
    const objectsFolder = join(home, "avatar/objects");
    const database = pathToFileURL(join(home, "avatar/avatar.db"));
    return { home, env: {}, database, objects: pathToFileURL(objectsFolder), objectsFolder, hasTwin: false };
  },
  "two copies on PostgreSQL and S3": async (t) => {
    const database = new URL(await postgresDatabase(t));
    const { url: objects, folder: objectsFolder } = await s3Server(t);
    const env = { AVATAR_DATABASE_URL: database.href, AVATAR_OBJECTS_URL: objects.href };
    return { home: temporaryHome(t), env, database, objects, objectsFolder, hasTwin: true };
  },
};

/** When the power goes, told from the moment the save is sent. */
const MOMENTS: Array<
  [name: string, wait: (arrived: () => number, sent: Promise<unknown>) => Promise<unknown>]
> = [
  ["it is sent", async () => {}],
  ["the first object is being written", (arrived) => until("an object is there", () => arrived() >= 1)],
  ["most objects are written", (arrived) => until("nine objects are there", () => arrived() >= 9)],
  ["all objects are written", (arrived) => until("all objects are there", () => arrived() >= 12)],
  ["it is answered", (_, sent) => sent],
];

for (const [name, open] of Object.entries(HOUSES)) {
  test(`${name}: kill -9 in the middle of a save leaves the old avatar or the new one for all hashes, and no object too many`, async (t) => {
    const house = await open(t);
    let running = await start(t, house);
    const twin = house.hasTwin ? await start(t, house) : undefined;
    const call = await signedIn(running.api, house.home);
    for (const email of EMAILS.slice(1)) {
      await call("/me/emails", { email });
      await call("/me/emails/verify", { email, code: codeFor(house.home, email) });
    }
    await call("/me/avatar", { seed: "0" });
    for (const [i, [moment, wait]] of MOMENTS.entries()) {
      const before = await shown(running.media);
      const known = new Set(storedAddresses(house.objectsFolder));
      const arrived = () =>
        storedAddresses(house.objectsFolder).filter((address) => !known.has(address)).length;
      const sent = call("/me/avatar", { seed: String(i + 1) }, running.api).catch(() => undefined);
      await wait(arrived, sent);
      running.service.child.kill("SIGKILL");
      await running.service.ended;
      const answer = await sent;

      const seenByTwin = twin && (await shown(twin.media));
      running = await start(t, house);
      const after = await shown(running.media);
      assert.equal(new Set(after.map(({ bytes }) => bytes)).size, 1, `${moment}: all hashes show the same`);
      assert.equal(new Set(after.map(({ version }) => version)).size, 1, moment);
      const isOld = after[0]?.version === before[0]?.version;
      assert.equal(after[0]?.version, (before[0]?.version ?? 0) + (isOld ? 0 : 1), moment);
      assert.equal(after[0]?.bytes === before[0]?.bytes, isOld, moment);
      if (moment === "it is answered") assert.ok(answer, moment);
      if (moment === "it is sent") assert.ok(isOld || answer === undefined, moment);
      if (answer) assert.ok(!isOld, `${moment}: what was acknowledged is there`);
      if (seenByTwin) assert.deepEqual(seenByTwin, after, `${moment}: the other copy saw it at once`);
    }
    if (twin) {
      await call("/me/avatar", { seed: "by the one that lives" }, twin.api);
      assert.deepEqual(await shown(running.media), await shown(twin.media));
    }
    for (const each of [running, ...(twin ? [twin] : [])]) {
      each.service.child.kill("SIGTERM");
      await each.service.ended;
    }
    await assertNoOrphans(house);
  });
}

async function start(t: TestContext, { home, env }: House) {
  const [media, api] = [await freePort(), await freePort()];
  const service = serviceProcess(t, MAIN, {
    FRONTDESK_HOME: home,
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${media}`,
    AVATAR_API_LISTEN: `127.0.0.1:${api}`,
    ...env,
  });
  await service.started;
  const urls = { media: `http://127.0.0.1:${media}`, api: `http://127.0.0.1:${api}` };
  // Now, so that the moments later are those of the save alone: what it foretells of itself is read.
  for (const url of Object.values(urls)) assert.equal((await checkedFetch(`${url}/healthz`)).status, 200);
  return { service, ...urls };
}

async function signedIn(first: string, home: string) {
  let cookie = "";
  const call = async (path: string, body: unknown, api = first) => {
    const headers = { "content-type": "application/json", cookie };
    const reply = await checkedFetch(api + path, { method: "POST", headers, body: JSON.stringify(body) });
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
      const image = await checkedFetch(`${media}/${hashOf(email)}?s=512`);
      const metadata = await checkedFetch(`${media}/${hashOf(email)}.json`);
      const { version } = (await metadata.json()) as { version: number };
      return { bytes: Buffer.from(await image.arrayBuffer()).toString("base64"), version };
    }),
  );
}

/** An hour later nothing is left but what the account's avatar is made of. */
async function assertNoOrphans({ database, objects: url, objectsFolder }: House): Promise<void> {
  const clock = { now: () => Date.now() + 3_600_000 };
  const store = await openStore<Tables>({ url: database, migrations, clock: systemClock });
  const log = createLog({ service: "avatar", level: "silent", settings: {} });
  const objects = await openObjects(url);
  await createObjectShelf({ store, objects, clock, ids: randomIds, log }).sweep();
  const { image } = await store.read.selectFrom("accounts").select("image").executeTakeFirstOrThrow();
  const saved = JSON.parse(image ?? "null") as SavedImage & { type: "image/png" };
  assert.deepEqual(storedAddresses(objectsFolder), Object.values(saved.objects).sort());
  const rows = await store.read.selectFrom("objects").select("address").execute();
  assert.equal(rows.length, Object.values(saved.objects).length);
  await store.close();
}
