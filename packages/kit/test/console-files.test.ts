import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
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
