import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { serveConsole } from "@frontdesk/kit/console-files";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import Fastify from "fastify";

test("the built console is served: one page under its names, hashed files for ever, nothing inline", async (t) => {
  const folder = temporaryHome(t);
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Desk</title>");
  writeFileSync(join(folder, "assets/index-abc123.js"), "export {}");
  writeFileSync(join(folder, "favicon.svg"), "<svg/>");
  const app = Fastify();
  t.after(() => app.close());
  const pages = ["/", "/sign-in", "/admin"];
  await serveConsole(app as unknown as HttpServer, { folder, pages, alsoFrom: ["https://faces.example"] });
  for (const page of pages) {
    const { statusCode, headers, body } = await app.inject(page);
    assert.deepEqual([statusCode, headers["cache-control"]], [200, "no-cache"], page);
    assert.match(body, /<title>Desk/);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /img-src 'self' data: blob: https:\/\/faces\.example;/);
    assert.match(policy, /frame-ancestors 'none'/);
  }
  const asset = await app.inject("/assets/index-abc123.js");
  assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.match(String(asset.headers["content-type"]), /javascript/);
  assert.equal((await app.inject("/favicon.svg")).headers["cache-control"], "no-cache");
  for (const path of [
    "/assets/../../package.json",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/none.js",
    "/nowhere",
  ])
    assert.equal((await app.inject(path)).statusCode, 404, path);
});

test("an address that leads nowhere is told by the page to a person, and as an error to a program", async (t) => {
  const folder = temporaryHome(t);
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Desk</title>");
  const app = Fastify();
  t.after(() => app.close());
  await serveConsole(app as unknown as HttpServer, { folder, pages: ["/", "/printers"] });
  for (const url of ["/nowhere", "/printers/", "/printers/%25zz", "//"]) {
    const person = await app.inject({
      url,
      headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
    });
    assert.deepEqual([person.statusCode, person.body], [404, "<!doctype html><title>Desk</title>"], url);
    const program = await app.inject({ url, headers: { accept: "*/*" } });
    assert.deepEqual(
      [program.statusCode, program.headers["content-type"]],
      [404, "application/json; charset=utf-8"],
    );
  }
});

const SCRIPT = `export const words = ${JSON.stringify("many ".repeat(2_000))};`;
const PAGE = `<!doctype html><title>Desk</title>${"<!-- -->".repeat(200)}`;

/** A console as the build leaves it: with compressed twins beside what is worth it. */
async function compressedConsole(t: TestContext) {
  const folder = temporaryHome(t);
  mkdirSync(join(folder, "assets"));
  for (const [name, text] of [
    ["index.html", PAGE],
    ["assets/index-abc123.js", SCRIPT],
  ] as const) {
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
  }
  writeFileSync(join(folder, "assets/font-abc123.woff2"), Buffer.alloc(5_000, "font"));
  const app = Fastify();
  t.after(() => app.close());
  await serveConsole(app as unknown as HttpServer, { folder, pages: ["/", "/admin"] });
  app.get("/me", () => ({ secret: "x".repeat(5_000) }));
  const ask = (url: string, encodings?: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { ...headers, ...(encodings ? { "accept-encoding": encodings } : {}) } });
  return { app, ask };
}

const OPENED: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  none: (bytes) => bytes,
};

test("files and pages of the console come compressed as the caller can take them", async (t) => {
  const { ask } = await compressedConsole(t);
  const cases: Array<[accepted: string | undefined, sent: string]> = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0.1, gzip;q=0.9", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["zstd", "none"],
    ["identity", "none"],
    [undefined, "none"],
  ];
  for (const [accepted, sent] of cases) {
    for (const [url, text, type, cache] of [
      ["/assets/index-abc123.js", SCRIPT, /javascript/, "public, max-age=31536000, immutable"],
      ["/admin", PAGE, /^text\/html/, "no-cache"],
    ] as const) {
      const { statusCode, headers, rawPayload } = await ask(url, accepted);
      const where = `${url} for ${accepted}`;
      assert.equal(statusCode, 200, where);
      assert.equal(headers["content-encoding"] ?? "none", sent, where);
      assert.equal(OPENED[sent]?.(rawPayload).toString(), text, where);
      assert.equal(headers["content-length"], String(rawPayload.length), where);
      assert.match(String(headers["content-type"]), type, where);
      assert.equal(headers["cache-control"], cache, where);
      assert.equal(headers.vary, "accept-encoding", where);
      assert.match(String(headers["content-security-policy"]), /default-src 'none'/, where);
    }
  }
});

test("each form of a file has a tag of its own, by which nothing is sent twice; HEAD sends what GET would, without it", async (t) => {
  const { app, ask } = await compressedConsole(t);
  const url = "/assets/index-abc123.js";
  const tags = new Map<string, string>();
  for (const encoding of ["br", "gzip", "identity"]) {
    const got = await ask(url, encoding);
    tags.set(encoding, String(got.headers.etag));
    const again = await ask(url, encoding, { "if-none-match": String(got.headers.etag) });
    assert.deepEqual([again.statusCode, again.rawPayload.length], [304, 0], encoding);
    assert.equal(again.headers.vary, "accept-encoding");
    const head = await app.inject({ method: "HEAD", url, headers: { "accept-encoding": encoding } });
    assert.equal(head.rawPayload.length, 0);
    for (const name of [
      "content-length",
      "content-encoding",
      "content-type",
      "etag",
      "vary",
      "cache-control",
    ])
      assert.equal(head.headers[name], got.headers[name], `${encoding} ${name}`);
  }
  assert.equal(new Set(tags.values()).size, 3);
  const other = await ask(url, "gzip", { "if-none-match": String(tags.get("br")) });
  assert.equal(other.statusCode, 200, "what one form is called is no name for another");
});

test("a part of a file is a part of the form that is sent", async (t) => {
  const { ask } = await compressedConsole(t);
  const url = "/assets/index-abc123.js";
  const plain = await ask(url, undefined, { range: "bytes=7-20" });
  assert.deepEqual([plain.statusCode, plain.body], [206, SCRIPT.slice(7, 21)]);
  assert.equal(plain.headers["content-range"], `bytes 7-20/${SCRIPT.length}`);
  const whole = (await ask(url, "gzip")).rawPayload;
  const parts = await Promise.all(
    [`bytes=0-9`, `bytes=10-`].map(async (range) => {
      const part = await ask(url, "gzip", { range });
      assert.deepEqual([part.statusCode, part.headers["content-encoding"]], [206, "gzip"]);
      return part.rawPayload;
    }),
  );
  assert.deepEqual(Buffer.concat(parts), whole);
  assert.equal((await ask(url, "gzip", { range: "bytes=999999-" })).statusCode, 416);
});

test("what is compressed already, what is made for one caller, and the twins by their own names are not", async (t) => {
  const { ask } = await compressedConsole(t);
  const font = await ask("/assets/font-abc123.woff2", "br, gzip");
  assert.deepEqual([font.headers["content-encoding"], font.rawPayload.length], [undefined, 5_000]);
  const dynamic = await ask("/me", "br, gzip");
  assert.deepEqual([dynamic.statusCode, dynamic.headers["content-encoding"]], [200, undefined]);
  for (const twin of ["/assets/index-abc123.js.br", "/assets/index-abc123.js.gz", "/index.html.br"])
    assert.equal((await ask(twin, "br")).statusCode, 404, twin);
});
