import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchPart } from "../src/part-files.ts";
import { fakeBrowser } from "./browser.ts";

test("a part is imported when all its files are there, and what could not be fetched is asked for again", async (t) => {
  const { document } = fakeBrowser(t);
  Object.assign(document, {
    baseURI: "https://desk.example/jobs",
    scripts: [{ src: at("assets/index.js") }],
  });
  const asked: string[] = [];
  const isAway = new Set<string>();
  t.mock.method(globalThis, "fetch", async (href: string) => {
    asked.push(href);
    if (isAway.has(href)) throw new TypeError("Failed to fetch");
    return new Response("", { status: href.endsWith("gone.js") ? 502 : 200 });
  });
  let imports = 0;
  const load = (...names: string[]) => fetchPart(async () => `part ${++imports}`, names);

  isAway.add(at("assets/table.js"));
  await assert.rejects(load("assets/jobs.js", "assets/table.js", "assets/index.js"));
  assert.equal(imports, 0, "the browser would remember that it failed");
  isAway.clear();
  assert.equal(await load("assets/jobs.js", "assets/table.js", "assets/index.js"), "part 1");
  assert.deepEqual(asked, [at("assets/jobs.js"), at("assets/table.js"), at("assets/table.js")]);
  await assert.rejects(load("assets/gone.js"), "a proxy answers for a service that is stopped");
  assert.equal(imports, 1);
});

const at = (path: string) => `https://desk.example/${path}`;
