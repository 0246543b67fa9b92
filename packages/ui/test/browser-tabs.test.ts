import assert from "node:assert/strict";
import { test } from "node:test";
import { browserTabs } from "../src/browser-tabs.ts";
import { fakeBrowser } from "./browser.ts";

test("where site data is blocked, and locks and channels with it, the tab leads by itself", async (t) => {
  fakeBrowser(t);
  const refuse = () => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  t.mock.method(navigator.locks, "request", async () => refuse());
  t.mock.method(globalThis, "BroadcastChannel", refuse);
  const { promise: leads, resolve } = Promise.withResolvers<void>();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const resign = browserTabs.lead("blocked", () => {
    resolve();
    return stop;
  });
  await leads;
  browserTabs.channel("blocked", () => {}).post("heard by nobody");
  resign();
  await stopped;
});

test("where a browser has no locks, tabs hear nothing of each other's lines, and one that is loaded in the background has missed something", (t) => {
  const { show } = fakeBrowser(t);
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, "navigator"));
  t.mock.method(globalThis, "BroadcastChannel", () => assert.fail("nobody is told"));
  browserTabs.channel("plain", () => {}).post("lost");
  show("hidden");
  const told: boolean[] = [];
  const resign = browserTabs.lead("plain", (isSuccessor) => {
    told.push(isSuccessor);
    return () => {};
  });
  show("visible");
  assert.deepEqual(told, [true]);
  resign();
});
