import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { build } from "vite";
import { consoleConfig } from "../build/console-config.ts";

const SOURCES = {
  "index.html":
    '<!doctype html><html><head></head><body><div id="root"></div><script type="module" src="/src/main.js"></script></body></html>',
  "src/main.js": 'void import("./late.js").then(({ show }) => show());',
  "src/late.js": 'import "./late.css"; export const show = () => { document.title = "late"; };',
  "src/late.css": "body { color: green }",
} as const;

test("the document of a console names its build: another one whatever was changed, and the same for the same", async (t) => {
  const folder = temporaryHome(t);
  mkdirSync(join(folder, "src"));
  const versionWith = async (changed: Partial<Record<keyof typeof SOURCES, string>> = {}) => {
    for (const [name, text] of Object.entries({ ...SOURCES, ...changed }))
      writeFileSync(join(folder, name), text);
    await build({ ...consoleConfig(), root: folder, configFile: false, logLevel: "error" });
    const page = readFileSync(join(folder, "dist/index.html"), "utf8");
    return /<meta name="pages-version" content="([\w-]{16})"/.exec(page)?.[1];
  };
  const versions = [
    await versionWith(),
    await versionWith({ "src/late.css": "body { color: red }" }),
    await versionWith({ "src/late.js": SOURCES["src/late.js"].replace("title", "dir") }),
    await versionWith({ "index.html": SOURCES["index.html"].replace("</body>", "<p></p></body>") }),
  ];
  assert.ok(versions.every((version) => version !== undefined));
  assert.equal(new Set(versions).size, versions.length);
  assert.equal(await versionWith(), versions[0]);
});
