import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { anyEngine, deskUnderTest } from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";

const BUILD = '<meta name="pages-version" content="0123456789abcdef">';
const HTML = { accept: "text/html,*/*" };

test("the built web app is served under all its addresses, and programs get their errors as before", async (t) => {
  const home = temporaryHome(lastInFirstOut(t));
  const folder = join(home, "dist");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), `<!doctype html>${BUILD}<title>Presence</title>`);
  writeFileSync(join(folder, "assets", "app-1.js"), "1");
  writeFileSync(join(folder, "service-worker.js"), "1");
  const sessionKeys = [{ id: "test", secret: "a key of at least thirty-two characters" }] as const;
  const desk = await deskUnderTest(t, anyEngine, {
    webApp: { sessionKeys, home, mail: "outbox", trustedProxies: [], folder },
  });
  const get = async (url: string, headers: object = HTML, method = "GET") => {
    const reply = await desk.app.inject({ method: method as "GET", url, headers: { ...headers } });
    return [reply.statusCode, String(reply.headers["content-type"]).split(";")[0]] as const;
  };
  for (const page of [
    "/",
    "/sign-in",
    "/first-run",
    "/s/abc_-1",
    "/acme",
    "/acme/admin/webhooks/01J/log",
    "/acme?q=a/b",
  ])
    assert.deepEqual(await get(page), [200, "text/html"], page);
  assert.deepEqual(await get("/ACME"), [404, "text/html"], "no organisation is called that");
  for (const path of ["/acme", "/api/v1/external/orgs/acme/nothing", "/api/v1/app/nothing", "/openapi.json"])
    assert.deepEqual(await get(path, {}), [404, "application/problem+json"], path);
  assert.deepEqual(await get("/api/v1/app/nothing"), [404, "text/html"]);
  assert.deepEqual(await get("/acme", {}, "POST"), [404, "application/problem+json"]);
  assert.equal((await get("/docs"))[0], 200);
  const shared = await desk.app.inject({ url: "/s/abc", headers: HTML });
  assert.deepEqual(
    [shared.headers["x-robots-tag"], shared.headers["referrer-policy"]],
    ["noindex", "no-referrer"],
  );
  const { headers: page } = await desk.app.inject({ url: "/", headers: HTML });
  const known = { ...HTML, "if-none-match": String(page.etag), "if-modified-since": page["last-modified"] };
  const again = await desk.app.inject({ url: "/acme/board", headers: known });
  assert.match(again.body, /<title>Presence/, "a browser that has the page gets it all the same");
  const worker = await desk.app.inject("/service-worker.js");
  assert.match(
    String(worker.headers["content-security-policy"]),
    /connect-src 'self'/,
    "a service worker fetches what it keeps",
  );
  const { version } = (await desk.app.inject("/api/v1/app/config")).json();
  assert.match(version, /^0123456789abcdef\.[\w-]{8}$/, "as the document itself says");
  const { headers: file } = await desk.app.inject("/assets/app-1.js");
  for (const headers of [page, shared.headers, file])
    assert.equal(headers["x-pages-version"], version.split(".")[0], "which page a reload would get");
});
