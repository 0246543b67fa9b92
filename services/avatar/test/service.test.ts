import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { s3Bucket } from "@frontdesk/testkit/s3";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import pg from "pg";
import type { AvatarService } from "../src/avatar.ts";
import { avatarUnderTest } from "./avatar-under-test.ts";
import { ANNA, hashOf } from "./media-fixture.ts";
import { checkedFetch } from "./openapi-check.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

async function start(t: TestContext, env: Record<string, string> = {}) {
  const home = temporaryHome(t);
  const port = await freePort();
  const service = serviceProcess(t, MAIN, {
    FRONTDESK_HOME: home,
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${port}`,
    AVATAR_API_LISTEN: `127.0.0.1:${await freePort()}`,
    ...env,
  });
  return { ...service, home, url: `http://127.0.0.1:${port}` };
}

test("a second service on the same database file does not start, and says what to do", async (t) => {
  const first = await start(t);
  await first.started;
  const second = await start(t, { FRONTDESK_HOME: first.home });
  const { problem } = await second.started;
  assert.match(problem ?? "", /^Another avatar service uses .*avatar\.db: stop it/);
  assert.equal(await second.ended, 1);
});

test("the service announces its address, answers, and ends cleanly on SIGTERM", async (t) => {
  const { started, url, child, ended, output } = await start(t);
  const { ready } = await started;
  assert.deepEqual(ready?.[0], ["images", `${url}/<SHA-256 of an e-mail address>`]);
  assert.deepEqual(await (await checkedFetch(`${url}/healthz`)).json(), { status: "ok" });
  assert.equal((await checkedFetch(`${url}/${ANNA}`)).headers.get("content-type"), "image/png");
  child.kill("SIGTERM");
  assert.equal(await ended, 0, output());
});

test("the same hash gives the same bytes after a restart and from another copy", async (t) => {
  const digests = [];
  for (let copy = 0; copy < 2; copy++) {
    const { started, url } = await start(t);
    await started;
    const images = ["", "?d=initials&s=200", "?d=bottts&fmt=svg"].map(async (query) =>
      createHash("sha256")
        .update(new Uint8Array(await (await checkedFetch(`${url}/${ANNA}${query}`)).arrayBuffer()))
        .digest("hex"),
    );
    digests.push(await Promise.all(images));
  }
  assert.deepEqual(digests[0], digests[1]);
});

test("no log line, table or file ever holds a hash that was read", async (t) => {
  const { started, url, home, child, ended, output } = await start(t, { FRONTDESK_LOG_LEVEL: "trace" });
  await started;
  const hashes = Array.from({ length: 20 }, (_, i) => hashOf(`secret reader ${i}`));
  for (const hash of hashes) {
    for (const rest of [
      "",
      ".json",
      ".png",
      "?d=404",
      "?fmt=svg",
      ".exe",
      "?d=https://x.example/",
      "/more",
    ]) {
      await checkedFetch(`${url}/${hash}${rest}`);
      await checkedFetch(`${url}/avatar/${hash}${rest}`, { method: "POST" });
    }
  }
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length > 0);
  const everything = [
    output(),
    ...files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")),
  ];
  for (const hash of hashes) {
    const raw = Buffer.from(hash, "hex").toString("latin1");
    for (const text of everything) assert.ok(!text.toLowerCase().includes(hash) && !text.includes(raw));
  }
});

test("it runs on PostgreSQL and S3 by two settings", async (t) => {
  const { started, url } = await start(t, {
    AVATAR_DATABASE_URL: await postgresDatabase(t),
    AVATAR_OBJECTS_URL: (await s3Bucket(t)).href,
  });
  await started;
  assert.equal((await checkedFetch(`${url}/healthz`)).status, 200);
  assert.equal((await checkedFetch(`${url}/${ANNA}?d=404`)).status, 404);
});

test("settings are obeyed: public address and redirect hosts", async (t) => {
  const { started, url } = await start(t, {
    AVATAR_MEDIA_URL: "https://faces.example/",
    AVATAR_REDIRECT_HOSTS: "good.example",
  });
  const { ready } = await started;
  assert.ok(ready?.[0]?.[1].startsWith("https://faces.example/<SHA-256"));
  const status = async (d: string) => (await checkedFetch(`${url}/${ANNA}?d=${d}`)).status;
  assert.deepEqual([await status("https://good.example/"), await status("https://bad.example/")], [302, 200]);
});

const problems: Array<[name: string, env: Record<string, string>, sentence: RegExp]> = [
  [
    "a malformed setting",
    { AVATAR_MEDIA_LISTEN: "here" },
    /^AVATAR_MEDIA_LISTEN must be an address and a port/,
  ],
  ["an unknown setting", { AVATAR_MEDIA_LISTN: "x" }, /^AVATAR_MEDIA_LISTN is not a setting\./],
  [
    "a home that cannot be written",
    { FRONTDESK_HOME: "/dev/null/home" },
    /^The folder \/dev\/null\/home\/avatar cannot be written \(ENOTDIR\)/,
  ],
  [
    "a database that is not there",
    { AVATAR_DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" },
    /^The database x at 127\.0\.0\.1:1 did not let us in/,
  ],
  [
    "an object store that is not there",
    { AVATAR_OBJECTS_URL: "s3+http://k:hunter2@127.0.0.1:1/x" },
    /^The object store at 127\.0\.0\.1:1\/x cannot be used/,
  ],
  [
    "an address of another machine",
    { AVATAR_MEDIA_LISTEN: "203.0.113.1:80" },
    /^203\.0\.113\.1:80 cannot be listened on \(EADDRNOTAVAIL\)/,
  ],
];
for (const [name, env, sentence] of problems) {
  test(`the start ends with one sentence on ${name}`, async (t) => {
    const { started, ended, output } = await start(t, env);
    const { problem } = await started;
    assert.match(problem ?? "", sentence);
    assert.ok(!`${problem}${output()}`.includes("hunter2"));
    assert.equal(await ended, 1);
  });
}

test("the start ends with one sentence on a port that is taken", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  const { started, ended } = await start(t, { AVATAR_MEDIA_LISTEN: `127.0.0.1:${port}` });
  assert.match(
    (await started).problem ?? "",
    /is already in use: stop the program that has it, or set AVATAR_MEDIA_LISTEN/,
  );
  assert.equal(await ended, 1);
});

test("a database that is away is told by 503 on both addresses, and answers go on when it is back", async (t) => {
  const databaseUrl = new URL(await postgresDatabase(t));
  const desk = await avatarUnderTest(t, { AVATAR_DATABASE_URL: databaseUrl.href });
  const anna = await desk.person("anna@example.org");
  const name = databaseUrl.pathname.slice(1);
  const elsewhere = new URL(databaseUrl);
  elsewhere.pathname = "/postgres";
  const admin = new pg.Client({ connectionString: elsewhere.href });
  // A server of the test's own, where none is shared, ends before this connection does.
  admin.on("error", () => {});
  await admin.connect();
  t.after(() => admin.end());
  await admin.query(`alter database ${name} with allow_connections false`);
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  const { media } = desk.copies[0] as AvatarService;
  for (const path of [`/${ANNA}`, `/${ANNA}.json`]) {
    const { statusCode, headers, body } = await media.inject(path);
    assert.deepEqual([statusCode, JSON.parse(body)], [503, { error: "unavailable" }], path);
    assert.match(String(headers["retry-after"]), /^\d+$/);
  }
  const refused = await anna.get("/me");
  assert.deepEqual([refused.status, refused.body], [503, { error: "unavailable" }]);
  const limited = await desk.stranger("bert@example.org").post("/auth/code", { email: "bert@example.org" });
  assert.deepEqual([limited.status, limited.body], [503, { error: "unavailable" }]);
  await admin.query(`alter database ${name} with allow_connections true`);
  assert.equal((await media.inject(`/${ANNA}`)).statusCode, 200);
  assert.equal((await anna.get("/me")).status, 200);
});
