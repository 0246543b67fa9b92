import assert from "node:assert/strict";
import { test } from "node:test";
import { hasDrafts, setDraftOwner } from "@frontdesk/ui/drafts";
import { isGuarded } from "@frontdesk/ui/leave-guard";
import { QueryClient } from "@tanstack/react-query";
import { linesOf } from "../webapp/src/todos/adding.ts";
import { createKeptLines, keyOf, sendingIn } from "../webapp/src/todos/kept-lines.ts";

/** A page that was just loaded: it knows what the browser has kept, and nothing else. */
function load() {
  const queryClient = new QueryClient();
  const kept = createKeptLines(queryClient);
  return {
    ...kept,
    lines: (org: string) => queryClient.getQueryData(keyOf(org)),
    sending: (org: string) => queryClient.getQueryData(sendingIn(org)),
  };
}

test("lines that could not be added outlive a reload with their ids, until they are added or wanted no more", () => {
  const before = load();
  const close = before.restore("acme");
  const lines = linesOf(["one", "two", "three"]);
  before.begin("acme", lines)(lines);
  close();
  assert.equal(hasDrafts(), true, "whoever signs out is asked");

  const after = load();
  after.restore("acme");
  assert.deepEqual(after.lines("acme"), lines);
  const more = linesOf(["four"]);
  after.begin("acme", more)(more);
  after.begin("acme", lines)(lines.slice(2));
  assert.deepEqual(after.lines("acme"), [...lines.slice(2), ...more]);
  after.discard("acme", [...more, ...lines]);
  assert.equal(hasDrafts(), false);
  const last = load();
  last.restore("acme");
  assert.equal(last.lines("acme"), undefined);
});

test("lines on their way when the page goes are there afterwards; those that were answered are not", () => {
  const before = load();
  const close = before.restore("acme");
  const [answered, unanswered] = [linesOf(["one"]), linesOf(["two", "three"])];
  const settle = before.begin("acme", answered);
  before.begin("acme", unanswered);
  assert.equal(before.lines("acme"), undefined, "nothing has failed");
  settle([]);
  close();

  const after = load();
  after.restore("acme");
  assert.deepEqual(after.lines("acme"), unanswered);
  after.begin("acme", unanswered)([]);
  assert.deepEqual([after.lines("acme"), hasDrafts()], [[], false]);
});

test("lines on their way are shown until they are answered, and those that fail stay in the order they were typed", () => {
  const before = load();
  const close = before.restore("acme");
  const [one, two, three] = [linesOf(["one"]), linesOf(["two"]), linesOf(["three"])] as const;
  const [settleOne, settleTwo, settleThree] = [one, two, three].map((lines) => before.begin("acme", lines));
  assert.deepEqual(before.sending("acme"), [...one, ...two, ...three]);
  // A page that goes ends what is on its way, in whichever order.
  settleThree?.(three);
  settleTwo?.([]);
  assert.deepEqual(before.sending("acme"), one);
  settleOne?.(one);
  assert.deepEqual([before.sending("acme"), before.lines("acme")], [[], [...one, ...three]]);
  close();

  const after = load();
  after.restore("acme");
  assert.deepEqual(after.lines("acme"), [...one, ...three]);
  after.discard("acme", [...one, ...three]);
});

test("lines of somebody who has signed out are gone, whatever the answer: nobody after them sees one", () => {
  setDraftOwner("mia");
  const page = load();
  const settle = page.begin("acme", linesOf(["my own affair"]));
  setDraftOwner(undefined);
  settle(linesOf(["my own affair"]));
  assert.equal(page.lines("acme"), undefined);
  setDraftOwner("ada");
  const late = load();
  late.restore("acme");
  const settleHers = late.begin("acme", linesOf(["hers"]));
  settle(linesOf(["my own affair"]));
  settleHers([]);
  assert.deepEqual([late.lines("acme"), page.lines("acme"), hasDrafts()], [undefined, undefined, false]);
});

test("while there are such lines, no page is loaded anew by itself", (t) => {
  Object.defineProperty(globalThis, "window", { value: new EventTarget(), configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, "window"));
  const release = load().guard();
  assert.equal(isGuarded(), true);
  release();
  assert.equal(isGuarded(), false);
});
