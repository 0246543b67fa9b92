import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { s3Bucket } from "@frontdesk/testkit/s3";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { folderObjects } from "../src/adapters/folder-objects.ts";
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
