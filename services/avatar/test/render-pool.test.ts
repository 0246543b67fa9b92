import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createPictureCache } from "../src/domain/picture-cache.ts";
import type { Face, Faces } from "../src/domain/read-avatar.ts";
import { cachedFaces } from "../src/render/cached-faces.ts";
import { renderFace } from "../src/render/render-face.ts";
import { createRenderPool } from "../src/render/render-pool.ts";
import { ANNA, hashOf, mediaFixture } from "./media-fixture.ts";

const face = (name: string, size = 80): Face => ({
  kind: "style",
  style: "personas",
  hash: hashOf(name) as IdentityHash,
  size,
  format: "png",
});

function pool(t: TestContext) {
  const created = createRenderPool((error) => assert.fail(error));
  t.after(() => created.close());
  return created;
}

test("the pool has a thread for each core and draws what this thread would draw", async (t) => {
  const faces = pool(t);
  const wanted: Face[] = [
    ...[1, 2, 3, 4].map((i) => face(`person ${i}`)),
    { kind: "blank", size: 32, format: "png" },
    { kind: "blank", size: 32, format: "svg" },
    { ...(face("person 5") as Face & { kind: "style" }), format: "svg" },
  ];
  const drawn = await Promise.all(wanted.map((each) => faces.draw(each)));
  assert.equal(faces.workers.length, availableParallelism());
  for (const [i, picture] of drawn.entries()) {
    const here = renderFace(wanted[i] as Face);
    assert.ok(Buffer.from(picture.bytes).equals(here.bytes));
    assert.equal(picture.etag, here.etag);
  }
});

test("of a thousand faces drawn at once each caller gets the one that was asked for", async (t) => {
  const faces = pool(t);
  const wanted = Array.from({ length: 1_000 }, (_, i) => ({
    ...face(`person ${i}`, [16, 24, 48, 300][i % 4]),
    format: i % 7 === 0 ? ("svg" as const) : ("png" as const),
  }));
  const drawn = await Promise.all(wanted.map((each) => faces.draw(each)));
  for (const [i, picture] of drawn.entries()) {
    assert.equal(picture.etag, renderFace(wanted[i] as Face).etag, `person ${i}`);
  }
});

test("a thread that dies in the middle of its work is replaced, and every read is still answered", async (t) => {
  const faces = pool(t);
  const { app } = await mediaFixture(t, { faces });
  await faces.draw(face("warm"));
  const reads = Array.from({ length: 60 }, (_, i) => app.inject(`/${hashOf(`person ${i}`)}?s=200`));
  await Promise.all(faces.workers.map((worker) => worker.terminate()));
  const replies = await Promise.all(reads);
  assert.deepEqual([...new Set(replies.map((reply) => reply.statusCode))], [200]);
  assert.equal((await app.inject(`/${ANNA}`)).statusCode, 200);
  assert.equal(faces.workers.length, availableParallelism());
});

test("a design that makes the rasteriser panic fails alone, and its thread is replaced", async (t) => {
  const faces = pool(t);
  // Further away than any option that a request may have.
  const options = { scale: 3, translateX: 1000 };
  const far: Face = {
    kind: "design",
    design: { style: "bottts", seed: "bert", options },
    size: 80,
    format: "png",
  };
  await faces.draw(face("warm"));
  const before = faces.workers;
  const ended = Promise.race(before.map((worker) => once(worker, "exit")));
  const others = Array.from({ length: 40 }, (_, i) => faces.draw(face(`person ${i}`)));
  await assert.rejects(faces.draw(far), /unreachable/);
  await ended;
  for (const picture of await Promise.all(others)) assert.equal(picture.type, "image/png");
  assert.equal((await faces.draw(face("after"))).type, "image/png");
  assert.ok(before.some((worker) => !faces.workers.includes(worker)));
});

test("threads that cannot start are started again ever more slowly; meanwhile callers are told so", async (t) => {
  const folder = temporaryHome(t);
  const mended = join(folder, "mended");
  const thread = join(folder, "thread.mjs");
  const real = new URL("../src/render/render-thread.ts", import.meta.url);
  writeFileSync(
    thread,
    `import { existsSync } from "node:fs";
     if (!existsSync(${JSON.stringify(mended)})) throw new Error("cannot be loaded");
     await import(${JSON.stringify(real.href)});`,
  );
  const errors: Error[] = [];
  const faces = createRenderPool((error) => errors.push(error), pathToFileURL(thread));
  t.after(() => faces.close());
  const unavailable = { name: "DomainError", code: "unavailable" };
  await assert.rejects(faces.draw(face("anna")), unavailable);
  await assert.rejects(faces.draw(face("anna")), unavailable);
  assert.ok(errors.length < 20, `${errors.length} threads were started`);

  writeFileSync(mended, "");
  for (;;) {
    const drawn = await faces.draw(face("anna")).catch(() => undefined);
    if (drawn) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test("a hundred identical reads at once draw once", async (t) => {
  let drawings = 0;
  const counting: Faces = {
    draw: async (wanted) => {
      drawings++;
      await new Promise((resolve) => setImmediate(resolve));
      return renderFace(wanted);
    },
  };
  const { app } = await mediaFixture(t, { faces: counting });
  const replies = await Promise.all(Array.from({ length: 100 }, () => app.inject(`/${ANNA}`)));
  assert.equal(drawings, 1);
  assert.equal(new Set(replies.map((reply) => reply.headers.etag)).size, 1);
});

test("a drawing that failed is not remembered", async () => {
  let tries = 0;
  const faces = cachedFaces(
    {
      draw: async (wanted) => {
        if (++tries === 1) throw new Error("bad day");
        return renderFace(wanted);
      },
    },
    createPictureCache(1024 * 1024),
  );
  await assert.rejects(faces.draw(face("anna")), /bad day/);
  assert.equal((await faces.draw(face("anna"))).type, "image/png");
});

test("the cache never holds more than it may, and keeps what was asked for last", async () => {
  const limit = 100_000;
  const cache = createPictureCache(limit);
  const picture = { type: "image/png", bytes: new Uint8Array(9_000), etag: '"x"' } as const;
  for (let i = 0; i < 1_000; i++) {
    await cache.get(`picture ${i}`, async () => picture);
    await cache.get("favourite", async () => picture);
    assert.ok(cache.bytes <= limit);
  }
  let made = 0;
  const make = async () => {
    made++;
    return picture;
  };
  await cache.get("favourite", make);
  await cache.get("picture 0", make);
  assert.equal(made, 1);
});

test("when more is asked for than can wait in line, the rest is told to come again", async (t) => {
  const faces = pool(t);
  const { app } = await mediaFixture(t, { faces });
  const replies = await Promise.all(
    Array.from({ length: 4_000 }, (_, i) => app.inject(`/${hashOf(`crowd ${i}`)}?s=16&d=identicon`)),
  );
  const statuses = new Set(replies.map((reply) => reply.statusCode));
  assert.deepEqual([...statuses].sort(), [200, 503]);
  const refused = replies.find((reply) => reply.statusCode === 503);
  assert.deepEqual(refused?.json(), { error: "overloaded" });
  assert.equal(refused?.headers["retry-after"], "1");
});
