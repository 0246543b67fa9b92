import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { s3Bucket } from "@frontdesk/testkit/s3";
import { s3Objects } from "../src/adapters/s3-objects.ts";
import { STORED_SIZES } from "../src/domain/saved-avatar.ts";
import { ANNA, type MediaFixture, mediaFixture, savedStill } from "./media-fixture.ts";

const homes: Record<string, (t: TestContext) => Promise<MediaFixture>> = {
  "SQLite and a folder": (t) => mediaFixture(t),
  "PostgreSQL and S3": async (t) =>
    mediaFixture(t, {
      databaseUrl: new URL(await postgresDatabase(t)),
      objects: s3Objects(await s3Bucket(t)),
    }),
};

for (const [home, open] of Object.entries(homes)) {
  test(`${home}: a saved avatar comes at the nearest stored size that is not smaller`, async (t) => {
    const { app, objects, save } = await open(t);
    await save(ANNA, { kind: "designed", version: 1, image: await savedStill(objects, "face") });
    for (const size of [16, 17, 32, 33, 80, 81, 100, 129, 200, 257, 385, 511, 512]) {
      const stored = STORED_SIZES.find((candidate) => candidate >= size);
      const reply = await app.inject(`/${ANNA}?s=${size}`);
      assert.equal(reply.body, `face at ${stored}`, `s=${size}`);
      assert.equal(reply.headers["content-type"], "image/png");
    }
  });

  test(`${home}: a saved GIF comes whole, whatever size is asked for`, async (t) => {
    const { app, objects, save } = await open(t);
    const bytes = Buffer.from("GIF89a and so on");
    const object = createHash("sha256").update(bytes).digest("hex");
    await objects.put(object, bytes, "image/gif");
    await save(ANNA, { kind: "uploaded", version: 1, image: { type: "image/gif", object } });
    const reply = await app.inject(`/${ANNA}?s=16&fmt=svg`);
    assert.deepEqual([reply.headers["content-type"], reply.rawPayload], ["image/gif", bytes]);
  });

  test(`${home}: what is saved wins over every fallback, in its own format, unless f=y`, async (t) => {
    const { app, objects, save } = await open(t);
    await save(ANNA, { kind: "designed", version: 1, image: await savedStill(objects, "face") });
    for (const query of ["d=404", "d=blank", "d=https://x.example/", "fmt=svg", "f=n", "f=Y", "f="]) {
      assert.equal((await app.inject(`/${ANNA}?${query}`)).body, "face at 80", query);
    }
    for (const query of ["f=y", "forcedefault=y"]) {
      assert.notEqual((await app.inject(`/${ANNA}?${query}`)).body, "face at 80", query);
    }
    assert.equal((await app.inject(`/${ANNA}?f=y&d=404`)).statusCode, 404);
    assert.equal((await app.inject(`/${ANNA}?f=y&d=https://x.example/`)).statusCode, 302);
  });

  test(`${home}: bytes that are not what their address says are never sent`, async (t) => {
    const { app, objects, save } = await open(t);
    const image = await savedStill(objects, "face");
    await save(ANNA, { kind: "designed", version: 1, image });
    await objects.put(image.objects[128], Buffer.from("damaged"), "image/png");
    const reply = await app.inject(`/${ANNA}?s=128&v=1`);
    assert.equal(reply.statusCode, 200);
    assert.notEqual(reply.body, "damaged");
    assert.doesNotMatch(String(reply.headers["cache-control"]), /immutable/);
    assert.equal((await app.inject(`/${ANNA}?s=64&v=1`)).body, "face at 64");
  });

  test(`${home}: in the place of a picture that the store has lost comes a drawn one, and nobody keeps it for long`, async (t) => {
    const { app, objects, save } = await open(t);
    const image = await savedStill(objects, "face");
    const lost = { ...image, objects: { ...image.objects, 128: "0".repeat(64) } };
    await save(ANNA, { kind: "designed", version: 1, image: lost });
    const cached = async (query: string) => (await app.inject(`/${ANNA}?${query}`)).headers["cache-control"];
    assert.match(String(await cached("s=64&v=1")), /immutable/);
    const reply = await app.inject(`/${ANNA}?s=128&v=1`);
    assert.deepEqual([reply.statusCode, reply.headers["content-type"]], [200, "image/png"]);
    assert.doesNotMatch(String(reply.headers["cache-control"]), /immutable/);
  });

  test(`${home}: metadata tells kind, version and time, and of a removed avatar only the version`, async (t) => {
    const { app, objects, save, remove } = await open(t);
    await save(ANNA, { kind: "uploaded", version: 7, image: await savedStill(objects, "face") });
    assert.deepEqual((await app.inject(`/${ANNA}.json`)).json(), {
      hash: ANNA,
      has_avatar: true,
      kind: "uploaded",
      version: 7,
      updated_at: "2026-03-04T05:06:07.000Z",
    });
    await remove(ANNA, 7);
    assert.deepEqual((await app.inject(`/${ANNA}.json`)).json(), {
      hash: ANNA,
      has_avatar: false,
      kind: null,
      version: 7,
      updated_at: null,
    });
    assert.equal((await app.inject(`/${ANNA}?d=404`)).statusCode, 404);
  });

  test(`${home}: a version that is still to come is not kept for ever`, async (t) => {
    const { app, objects, save, remove } = await open(t);
    const kept = async (version: number) =>
      /immutable/.test(String((await app.inject(`/${ANNA}?v=${version}`)).headers["cache-control"]));
    assert.deepEqual([await kept(0), await kept(1)], [true, false]);
    await save(ANNA, { kind: "designed", version: 2, image: await savedStill(objects, "face") });
    assert.deepEqual([await kept(1), await kept(2), await kept(3)], [true, true, false]);
    await remove(ANNA, 2);
    assert.deepEqual([await kept(2), await kept(3)], [true, false]);
  });

  test(`${home}: a new save shows at the next read, although the old image is in the cache`, async (t) => {
    const { app, objects, save } = await open(t);
    await save(ANNA, { kind: "designed", version: 1, image: await savedStill(objects, "old") });
    assert.equal((await app.inject(`/${ANNA}`)).body, "old at 80");
    await save(ANNA, { kind: "designed", version: 2, image: await savedStill(objects, "new") });
    assert.equal((await app.inject(`/${ANNA}`)).body, "new at 80");
  });
}
