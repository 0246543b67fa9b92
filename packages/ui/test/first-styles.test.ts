import assert from "node:assert/strict";
import { test } from "node:test";
import { applyFirstStyles } from "../src/first-styles.ts";
import { MAX_WAIT_MS } from "../src/server-watch.ts";
import { fakeBrowser } from "./browser.ts";

test("a stylesheet that hangs does not keep the page from being drawn", async (t) => {
  const { document } = fakeBrowser(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sheet = Object.assign(new EventTarget(), { rel: "preload" });
  Object.assign(document, { querySelectorAll: () => [sheet] });
  const applied = applyFirstStyles();
  t.mock.timers.tick(MAX_WAIT_MS);
  await applied;
  assert.equal(sheet.rel, "stylesheet");
});
