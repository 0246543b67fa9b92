import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { connection } from "../src/connection.ts";
import { partOr } from "../src/late-part.ts";
import { guardLeaving } from "../src/leave-guard.ts";
import { fetchPart } from "../src/part-files.ts";
import { fakeBrowser } from "./browser.ts";

/** A document whose server answers for the page and for a part with these statuses; 0: not at all. */
function documentOf(t: TestContext, status: { page: number; part: number; body?: string }) {
  const browser = fakeBrowser(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const state = { ...status, hasForm: false, reloads: 0 };
  Object.assign(browser.window, { location: { pathname: "/jobs", reload: () => state.reloads++ } });
  Object.assign(browser.document, {
    baseURI: "https://desk.example/jobs",
    scripts: [],
    querySelector: () => (state.hasForm ? {} : null),
  });
  t.mock.method(globalThis, "fetch", async (href: string) => {
    const answer = href === "/jobs" ? state.page : state.part;
    if (answer === 0) throw new TypeError("Failed to fetch");
    return new Response(status.body ?? (answer === 200 ? '<div id="root"></div>' : ""), { status: answer });
  });
  t.after(() => connection.answered());
  let shown: string | undefined;
  const show = (instead?: string) =>
    partOr(() => fetchPart(async () => "part", [`assets/${t.name}.js`]), instead, "notice").then((part) => {
      shown = part;
    });
  /** Until nothing happens any more, however long it takes. */
  const settle = async () => {
    for (let round = 0; round < 10; round++) {
      await turnOfLoop();
      t.mock.timers.tick(10_000);
    }
    await turnOfLoop();
  };
  return { state, show, settle, shown: () => shown };
}

test("where the server does not answer, a part waits for it again and again, and loads nothing anew", async (t) => {
  const { state, show, settle, shown } = documentOf(t, { page: 200, part: 0 });
  void show();
  for (let flap = 0; flap < 3; flap++) {
    await settle();
    assert.equal(connection.isUnanswered(), true);
    connection.answered();
  }
  await settle();
  assert.deepEqual([shown(), state.reloads], [undefined, 0]);
  state.part = 200;
  connection.answered();
  await settle();
  assert.equal(shown(), "part");
});

test("where a part is gone, the document is loaded anew once its page is there; the server counts as answering", async (t) => {
  const { state, show, settle } = documentOf(t, { page: 502, part: 404 });
  void show();
  await settle();
  assert.deepEqual([state.reloads, connection.isUnanswered()], [0, false]);
  state.page = 200;
  await settle();
  assert.equal(state.reloads, 1);
});

test("where a part is gone, nothing is loaded anew while something is guarded or a form is open", async (t) => {
  const { state, show, settle, shown } = documentOf(t, { page: 200, part: 404 });
  const release = guardLeaving(async () => false);
  void show();
  await settle();
  assert.deepEqual([shown(), state.reloads], ["notice", 0]);
  release();
  state.hasForm = true;
  void show();
  await settle();
  assert.deepEqual([shown(), state.reloads], ["notice", 0]);
});

test("a part that is gone before it is needed has something in its place, and loads nothing anew", async (t) => {
  const { state, show, settle, shown } = documentOf(t, { page: 200, part: 404 });
  void show("instead");
  await settle();
  assert.deepEqual([shown(), state.reloads], ["instead", 0]);
});

test("a proxy that answers 404 while the service restarts does not make a part gone", async (t) => {
  const { state, show, settle, shown } = documentOf(t, { page: 404, part: 404 });
  void show();
  await settle();
  Object.assign(state, { page: 200, part: 200 });
  await settle();
  assert.deepEqual([shown(), state.reloads], ["part", 0]);
});

test("an address that leads nowhere has a page too: it is 404, and ours", async (t) => {
  const { state, show, settle } = documentOf(t, { page: 404, part: 404, body: '<div id="root"></div>' });
  void show();
  await settle();
  assert.equal(state.reloads, 1);
});
