import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { guardLeaving } from "../src/leave-guard.ts";
import { guardHistory } from "../src/location-hook.ts";
import { fakeBrowser } from "./browser.ts";

/** A tab that has come from `/list` to `/form`, where something is guarded. */
function tab(t: TestContext) {
  const { window } = fakeBrowser(t);
  const entries = ["/start", "/list", "/form"];
  let at = entries.length - 1;
  const pop = () => window.dispatchEvent(new Event("popstate"));
  const address = () => new URL(entries[at] ?? "", "https://desk.example/");
  const history = {
    // As the router has it: it tells of it.
    pushState: (_state: null, _title: string, href: string) => {
      entries.splice(++at, Number.POSITIVE_INFINITY, new URL(href, address()).pathname);
      window.dispatchEvent(new Event("pushState"));
    },
    back: () => {
      at--;
      pop();
    },
  };
  Object.assign(window, {
    history,
    location: {
      get href() {
        return address().href;
      },
      get pathname() {
        return address().pathname;
      },
    },
  });
  guardHistory();
  return {
    back: () => history.back(),
    go: (path: string) => history.pushState(null, "", path),
    path: () => address().pathname,
  };
}

test("Back asks on a guarded page, and goes where it would have gone", async (t) => {
  const { back, path } = tab(t);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const release = guardLeaving(() => promise);
  back();
  assert.equal(path(), "/form");
  resolve(true);
  await turn();
  assert.equal(path(), "/list");
  release();
});

test("an answer to a question about a page that was left meanwhile takes nobody further back", async (t) => {
  const { back, go, path } = tab(t);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const release = guardLeaving(() => promise);
  back();
  // What was asked about is saved: the form goes to another page by itself, and guards nothing any more.
  release();
  go("/saved");
  resolve(true);
  await turn();
  assert.equal(path(), "/saved");
  back();
  assert.equal(path(), "/form", "and Back goes one page back");
});
