import assert from "node:assert/strict";
import { test } from "node:test";
import type { AvatarService } from "../src/avatar.ts";
import { AVATAR_STYLES } from "../src/domain/avatar-style.ts";
import { renderFace } from "../src/render/render-face.ts";
import { avatarUnderTest } from "./avatar-under-test.ts";
import { ANNA, mediaFixture, pngSize } from "./media-fixture.ts";

test("a hash with nothing saved gives a PNG of 80 pixels in the personas style", async (t) => {
  const { app } = await mediaFixture(t);
  const reply = await app.inject(`/${ANNA}`);
  assert.equal(reply.statusCode, 200);
  assert.equal(reply.headers["content-type"], "image/png");
  assert.deepEqual(pngSize(reply.rawPayload), [80, 80]);
  assert.deepEqual(reply.rawPayload, (await app.inject(`/${ANNA}?d=personas&s=80&fmt=png`)).rawPayload);
});

const sizes: Array<[query: string, pixels: number]> = [
  ["s=16", 16],
  ["s=512", 512],
  ["s=77", 77],
  ["s=1", 16],
  ["s=0", 16],
  ["s=-5", 16],
  ["s=513", 512],
  ["s=99999999999999999999", 512],
  ["s=12.5", 80],
  ["s=abc", 80],
  ["s=", 80],
  ["s=1e2", 80],
  ["s=0x40", 80],
  ["s=%2064", 80],
  ["size=64", 64],
  ["s=32&size=64", 32],
];
for (const [query, pixels] of sizes) {
  test(`?${query} gives ${pixels} pixels`, async (t) => {
    const { app } = await mediaFixture(t);
    assert.deepEqual(pngSize((await app.inject(`/${ANNA}?d=blank&${query}`)).rawPayload), [pixels, pixels]);
  });
}

test("every style, and nothing else, is a fallback by name; what is unknown is personas", async (t) => {
  const { app } = await mediaFixture(t);
  const read = async (d: string) => (await app.inject(`/${ANNA}?d=${d}`)).rawPayload.toString("base64");
  const images = await Promise.all(AVATAR_STYLES.map(read));
  assert.equal(new Set(images).size, AVATAR_STYLES.length);
  for (const unknown of ["retro", "mp", "Personas", "__proto__", "constructor", ""]) {
    assert.equal(await read(unknown), images[0], unknown);
  }
  assert.equal((await app.inject(`/${ANNA}?default=bottts`)).rawPayload.toString("base64"), images[3]);
});

test("d=blank is a transparent image", async (t) => {
  const { app } = await mediaFixture(t);
  const png = await app.inject(`/${ANNA}?d=blank&s=32`);
  assert.equal(png.headers["content-type"], "image/png");
  const svg = await app.inject(`/${ANNA}?d=blank&s=32&fmt=svg`);
  assert.match(svg.body, /^<svg [^>]*width="32"[^>]*\/>$/);
});

test("d=404 is 404 with an error body when nothing is saved", async (t) => {
  const { app } = await mediaFixture(t);
  const reply = await app.inject(`/${ANNA}?d=404`);
  assert.deepEqual([reply.statusCode, reply.json()], [404, { error: "not_found" }]);
});

test("fmt=svg is an SVG whose policy allows nothing; any other format is PNG", async (t) => {
  const { app } = await mediaFixture(t);
  const svg = await app.inject(`/${ANNA}?fmt=svg`);
  assert.equal(svg.headers["content-type"], "image/svg+xml");
  assert.equal(svg.headers["content-security-policy"], "default-src 'none'; sandbox");
  assert.match(svg.body, /^<svg /);
  for (const style of AVATAR_STYLES) {
    const { body } = await app.inject(`/${ANNA}?fmt=svg&d=${style}`);
    assert.doesNotMatch(body, /<script|<foreignObject|<text|<image|\son\w+=|href="(?!#)|url\((?!#)/i, style);
  }
  assert.equal((await app.inject(`/${ANNA}?fmt=webp`)).headers["content-type"], "image/png");
});

test("a strong ETag answers 304 to whoever has it, and changes with the image", async (t) => {
  const { app } = await mediaFixture(t);
  const first = await app.inject(`/${ANNA}`);
  const etag = String(first.headers.etag);
  assert.match(etag, /^"[\w-]{22}"$/);
  for (const value of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await app.inject({ url: `/${ANNA}`, headers: { "if-none-match": value } });
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, "", etag]);
    assert.equal(again.headers["cache-control"], first.headers["cache-control"]);
  }
  const other = await app.inject({ url: `/${ANNA}?s=81`, headers: { "if-none-match": etag } });
  assert.equal(other.statusCode, 200);
  assert.notEqual(other.headers.etag, etag);
});

test("answers are fresh for five minutes, and for ever with v", async (t) => {
  const { app } = await mediaFixture(t);
  const freshness = async (query: string) => (await app.inject(`/${ANNA}${query}`)).headers["cache-control"];
  assert.equal(await freshness(""), "public, max-age=300, stale-while-revalidate=86400");
  assert.equal(await freshness("?v=0"), "public, max-age=31536000, immutable");
  assert.equal(await freshness("?v=spring"), "public, max-age=31536000, immutable");
  assert.equal(await freshness("?v=3&f=y"), "public, max-age=31536000, immutable");
  assert.equal(await freshness("?v="), "public, max-age=31536000, immutable");
  assert.equal(await freshness("?v=3&d=404"), "public, max-age=300, stale-while-revalidate=86400");
  assert.equal(
    await freshness("?v=3&d=https://x.example/"),
    "public, max-age=300, stale-while-revalidate=86400",
  );
});

test("an SVG says the size that was asked for", async (t) => {
  const { app } = await mediaFixture(t);
  for (const style of [...AVATAR_STYLES, "blank"]) {
    const { body } = await app.inject(`/${ANNA}?fmt=svg&s=123&d=${style}`);
    assert.match(body, /^<svg [^>]*width="123"/, style);
    assert.match(body, /^<svg [^>]*height="123"/, style);
  }
});

test("every answer may be shown by any page, is not sniffed, and has nothing to do with cookies", async (t) => {
  const { app } = await mediaFixture(t);
  const paths = ["", "?fmt=svg", "?d=404", "?d=https://x.example/a", ".json"].map(
    (rest) => `/${ANNA}${rest}`,
  );
  for (const url of [...paths, "/malformed"]) {
    const bare = await app.inject(url);
    const withCookie = await app.inject({ url, headers: { cookie: "avatar_session=something" } });
    assert.equal(bare.headers["access-control-allow-origin"], "*", url);
    assert.equal(bare.headers["cross-origin-resource-policy"], "cross-origin", url);
    assert.equal(bare.headers["x-content-type-options"], "nosniff", url);
    assert.equal(withCookie.headers["set-cookie"], undefined, url);
    assert.deepEqual(withCookie.rawPayload, bare.rawPayload, url);
  }
});

test("HEAD answers as GET does, without a body", async (t) => {
  const { app } = await mediaFixture(t);
  for (const url of [`/${ANNA}`, `/${ANNA}?fmt=svg`, `/${ANNA}.json`, `/${ANNA}?d=404`, "/zzz"]) {
    const get = await app.inject(url);
    const head = await app.inject({ method: "HEAD", url });
    assert.equal(head.statusCode, get.statusCode, url);
    assert.equal(head.body, "", url);
    for (const name of ["content-type", "content-length", "etag", "cache-control"]) {
      assert.equal(head.headers[name], get.headers[name], `${url} ${name}`);
    }
  }
});

test("any other method is 405", async (t) => {
  const { app } = await mediaFixture(t);
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
    for (const url of [`/${ANNA}`, `/${ANNA}.json`, `/avatar/${ANNA}`]) {
      const reply = await app.inject({ method, url });
      assert.deepEqual(
        [reply.statusCode, reply.json()],
        [405, { error: "method_not_allowed" }],
        `${method} ${url}`,
      );
      assert.equal(reply.headers.allow, "GET, HEAD");
    }
  }
});

test("hashes are the same in upper and lower case", async (t) => {
  const { app } = await mediaFixture(t);
  const lower = await app.inject(`/${ANNA}`);
  assert.deepEqual((await app.inject(`/${ANNA.toUpperCase()}`)).rawPayload, lower.rawPayload);
  assert.equal((await app.inject(`/${ANNA.toUpperCase()}.json`)).json().hash, ANNA);
});

test("the addresses that clients of other services use work too", async (t) => {
  const { app } = await mediaFixture(t);
  const plain = await app.inject(`/${ANNA}?s=64&d=identicon`);
  for (const path of [`/avatar/${ANNA}`, `/${ANNA}.png`, `/avatar/${ANNA}.png`]) {
    const reply = await app.inject(`${path}?size=64&default=identicon&forcedefault=y`);
    assert.deepEqual(reply.rawPayload, plain.rawPayload, path);
  }
  assert.equal((await app.inject(`/avatar/${ANNA}.json`)).json().has_avatar, false);
});

test("the metadata of a hash that never had an avatar", async (t) => {
  const { app } = await mediaFixture(t);
  const reply = await app.inject(`/${ANNA}.json`);
  assert.equal(reply.headers["cache-control"], "no-cache");
  assert.deepEqual(reply.json(), { hash: ANNA, has_avatar: false, kind: null, version: 0, updated_at: null });
});

test("OpenAPI describes both reads with all their parameters and answers", async (t) => {
  const { app } = await mediaFixture(t);
  const { paths, components } = (await app.inject("/openapi.json")).json();
  assert.deepEqual(Object.keys(paths).sort(), ["/healthz", "/{hash}", "/{hash}.json"]);
  const image = paths["/{hash}"].get;
  assert.deepEqual(image.parameters.map(({ name }: { name: string }) => name).sort(), [
    "d",
    "f",
    "fmt",
    "hash",
    "s",
    "v",
  ]);
  assert.deepEqual(Object.keys(image.responses), ["200", "302", "304", "400", "404", "503"]);
  assert.deepEqual(Object.keys(image.responses["200"].content), ["image/png", "image/svg+xml", "image/gif"]);
  assert.ok(components.schemas.Error);
});

test("/healthz draws each time: it sees when nothing can draw any more, though the cache could answer", async (t) => {
  let broken = false;
  const desk = await avatarUnderTest(
    t,
    {},
    {
      faces: {
        draw: async (face) => {
          if (broken) throw new Error("the rasteriser is gone");
          return renderFace(face);
        },
      },
    },
  );
  const health = async () => {
    const { media, api } = desk.copies[0] as AvatarService;
    return Promise.all([media, api].map(async (app) => (await app.inject("/healthz")).statusCode));
  };
  assert.deepEqual(await health(), [200, 200]);
  broken = true;
  assert.deepEqual(await health(), [503, 503]);
});
