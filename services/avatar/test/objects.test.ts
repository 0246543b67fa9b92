import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { s3Bucket } from "@frontdesk/testkit/s3";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { folderObjects, syncFolder } from "../src/adapters/folder-objects.ts";
import { openObjects } from "../src/adapters/open-objects.ts";
import { s3Objects } from "../src/adapters/s3-objects.ts";
import type { Objects } from "../src/domain/objects.ts";

const stores: Record<string, (t: TestContext) => Promise<Objects>> = {
  folder: async (t) => openObjects(pathToFileURL(join(temporaryHome(t), "objects"))),
  S3: async (t) => openObjects(await s3Bucket(t)),
};

const addressOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: what was put can be got, byte for byte`, async (t) => {
    const objects = await open(t);
    for (const bytes of [Buffer.from("x"), randomBytes(300_000), Buffer.from([0, 255, 13, 10, 0])]) {
      await objects.put(addressOf(bytes), bytes, "image/png");
      assert.deepEqual(Buffer.from((await objects.get(addressOf(bytes))) ?? []), bytes);
    }
  });

  test(`${name}: what was never put is undefined, and removing it is no mistake`, async (t) => {
    const objects = await open(t);
    const address = addressOf(Buffer.from("nobody"));
    assert.equal(await objects.get(address), undefined);
    await objects.delete(address);
  });

  test(`${name}: what was removed is gone, and only that`, async (t) => {
    const objects = await open(t);
    const [one, two] = [Buffer.from("one"), Buffer.from("two")];
    await objects.put(addressOf(one), one, "image/png");
    await objects.put(addressOf(two), two, "image/png");
    await objects.delete(addressOf(one));
    assert.equal(await objects.get(addressOf(one)), undefined);
    assert.deepEqual(Buffer.from((await objects.get(addressOf(two))) ?? []), two);
  });

  test(`${name}: putting the same twice, also at once, is putting it once`, async (t) => {
    const objects = await open(t);
    const bytes = randomBytes(10_000);
    await Promise.all(Array.from({ length: 8 }, () => objects.put(addressOf(bytes), bytes, "image/png")));
    assert.deepEqual(Buffer.from((await objects.get(addressOf(bytes))) ?? []), bytes);
    await objects.delete(addressOf(bytes));
    assert.equal(await objects.get(addressOf(bytes)), undefined);
  });

  test(`${name}: only content addresses are accepted`, async (t) => {
    const objects = await open(t);
    for (const address of [
      "",
      "../../etc/passwd",
      "A".repeat(64),
      `${"a".repeat(64)}/x`,
      `${"a".repeat(63)}.`,
    ]) {
      await assert.rejects(async () => objects.get(address), TypeError, address);
      await assert.rejects(
        async () => objects.put(address, Buffer.from("x"), "image/png"),
        TypeError,
        address,
      );
      await assert.rejects(async () => objects.delete(address), TypeError, address);
    }
  });
}

test("folder: a put leaves no half-written file behind", async (t) => {
  const folder = join(temporaryHome(t), "objects");
  const bytes = randomBytes(1_000);
  await folderObjects(folder).put(addressOf(bytes), bytes, "image/png");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  assert.deepEqual(
    files.map((entry) => entry.name),
    [addressOf(bytes)],
  );
});

test("folder: what the disk refuses is told as unavailable, with a time to come back, and leaves no half-written file", async (t) => {
  const folder = join(temporaryHome(t), "objects");
  const objects = folderObjects(folder);
  const bytes = randomBytes(1_000);
  const address = addressOf(bytes);
  // Somebody's folder where the file should be: no file takes its place, and none is read there.
  mkdirSync(join(folder, address.slice(0, 2), address, "something"), { recursive: true });
  const away = { code: "unavailable", retryAfterSeconds: 5 };
  await assert.rejects(objects.put(address, bytes, "image/png"), away);
  await assert.rejects(objects.get(address), away);
  assert.deepEqual(readdirSync(join(folder, "drafts")), []);
});

test("S3: a wrong secret and a missing bucket are told in one sentence, without the secret", async (t) => {
  const wrongSecret = await s3Bucket(t);
  wrongSecret.password = "hunter2";
  const noBucket = new URL((await s3Bucket(t)).href.replace("/avatars", "/nowhere"));
  const nobody = new URL("s3+http://key:hunter2@127.0.0.1:1/avatars");
  for (const url of [wrongSecret, noBucket, nobody]) {
    await assert.rejects(openObjects(url), (error: Error) => {
      assert.match(
        error.message,
        /^The object store at 127\.0\.0\.1:\d+\/\w+ cannot be used \(.*\): correct AVATAR_OBJECTS_URL/,
      );
      assert.ok(!error.message.includes("hunter2"));
      return true;
    });
  }
  assert.ok(s3Objects(wrongSecret));
});

test("folder: one that cannot be made is told in one sentence", async () => {
  await assert.rejects(openObjects(new URL("file:///dev/null/objects")), {
    name: "StartProblem",
    message: /^The object store at \/dev\/null\/objects cannot be used/,
  });
});

type Mood = number | "resets" | "hangs up" | "breaks off";

/** A store that meets each request in the next of these moods, a status or a broken connection, and then with 200. */
async function moodyStore(t: TestContext, moods: Mood[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    asked.push(request.method ?? "");
    const mood = moods.shift() ?? 200;
    if (mood === "resets") request.socket.resetAndDestroy();
    else if (mood === "hangs up") request.socket.destroy();
    else if (mood === "breaks off")
      response.writeHead(200, { "content-length": 9 }).write("half", () => request.socket.destroy());
    else response.writeHead(mood, { etag: '"x"' }).end(request.method === "GET" ? "x" : undefined);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, objects: s3Objects(new URL(`s3+http://key:secret@127.0.0.1:${port}/avatars`)) };
}

test("S3: what a store refuses for a moment is asked again", async (t) => {
  const { asked, objects } = await moodyStore(t, [503, 500, 429]);
  await objects.put(addressOf(Buffer.from("x")), Buffer.from("x"), "image/png");
  assert.deepEqual(asked, ["PUT", "PUT", "PUT", "PUT"]);
});

test("S3: a connection that breaks is made again", async (t) => {
  const { asked, objects } = await moodyStore(t, ["resets", "hangs up", "breaks off"]);
  const x = Buffer.from("x");
  assert.deepEqual(Buffer.from((await objects.get(addressOf(x))) ?? []), x);
  assert.deepEqual(asked, ["GET", "GET", "GET", "GET"]);
});

test("S3: a store whose connections go on breaking is told as unavailable", async (t) => {
  const { asked, objects } = await moodyStore(t, Array(20).fill("hangs up"));
  const x = Buffer.from("x");
  const unavailable = { code: "unavailable", retryAfterSeconds: 5 };
  await assert.rejects(objects.get(addressOf(x)), unavailable);
  await assert.rejects(objects.put(addressOf(x), x, "image/png"), unavailable);
  await assert.rejects(objects.delete(addressOf(x)), unavailable);
  assert.equal(asked.length, 12);
});

test("S3: a store that goes on refusing is told as unavailable, with a time to come back", async (t) => {
  const { asked, objects } = await moodyStore(t, Array(20).fill(503));
  await assert.rejects(objects.put(addressOf(Buffer.from("x")), Buffer.from("x"), "image/png"), {
    code: "unavailable",
    retryAfterSeconds: 5,
  });
  assert.equal(asked.length, 4);
});

test("S3: what is refused for good is not asked again", async (t) => {
  const { asked, objects } = await moodyStore(t, [403]);
  await assert.rejects(objects.put(addressOf(Buffer.from("x")), Buffer.from("x"), "image/png"), /403/);
  assert.equal(asked.length, 1);
});

test("S3: a store that answers 404 to the deletion of what is gone has deleted it", async (t) => {
  const { asked, objects } = await moodyStore(t, [500, 404]);
  await objects.delete(addressOf(Buffer.from("x")));
  assert.deepEqual(asked, ["DELETE", "DELETE"]);
});

test("folder: on Windows, which cannot sync a folder, none is opened for it", async (t) => {
  const missing = join(temporaryHome(t), "missing");
  await assert.rejects(syncFolder(missing, "linux"), { code: "ENOENT" });
  await syncFolder(missing, "win32");
});

test("S3: a store that refuses to be read is told as unavailable, once", async (t) => {
  const { asked, objects } = await moodyStore(t, [403]);
  await assert.rejects(objects.get(addressOf(Buffer.from("x"))), { code: "unavailable" });
  assert.equal(asked.length, 1);
});

test("folder: one that was replaced while it is in use takes objects again", async (t) => {
  const folder = join(temporaryHome(t), "objects");
  const objects = folderObjects(folder);
  const [one, two] = [Buffer.from("one"), Buffer.from("two")];
  await objects.put(addressOf(one), one, "image/png");
  rmSync(folder, { recursive: true });
  await objects.put(addressOf(one), one, "image/png");
  await objects.put(addressOf(two), two, "image/png");
  assert.deepEqual(Buffer.from((await objects.get(addressOf(one))) ?? []), one);
});
