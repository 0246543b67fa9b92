import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type ReloadParts, reloadWhenReady } from "../webapp/src/reload-when-ready.ts";

/** A screen that would load itself anew; the test says what the server offers. */
function screen(t: TestContext, more: Partial<ReloadParts> = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const server: { offers: string | undefined; asked: number } = { offers: undefined, asked: 0 };
  let reloads = 0;
  let tries = 0;
  const parts: ReloadParts = {
    offered: async () => {
      server.asked++;
      return server.offers;
    },
    isAnother: (pages) => pages !== "old",
    reload: () => void reloads++,
    isWell: async () => false,
    tries: {
      get: () => tries,
      set: (next) => {
        tries = next;
      },
    },
    random: () => 0,
    ...more,
  };
  const after = async (milliseconds: number) => {
    t.mock.timers.tick(milliseconds);
    await turn();
  };
  return { begin: () => reloadWhenReady(parts), after, server, reloads: () => reloads, tries: () => tries };
}

test("a screen loads itself anew when the server answers with other pages, and not before", async (t) => {
  const { begin, after, server, reloads } = screen(t);
  begin();
  await after(999);
  assert.equal(server.asked, 0, "all screens hear of it in one moment, and do not all ask in one");
  await after(1);
  assert.deepEqual([server.asked, reloads()], [1, 0], "the proxy answers for a service that is stopped");
  server.offers = "old";
  await after(2_000);
  assert.deepEqual([server.asked, reloads()], [2, 0], "the other copy is not upgraded yet");
  server.offers = "new";
  await after(4_000);
  assert.deepEqual([server.asked, reloads()], [3, 1]);
});

test("a screen that was loaded and is out of date again waits longer each time, up to some minutes", async (t) => {
  const { begin, after, server, reloads } = screen(t);
  server.offers = "new";
  for (const pause of [1_000, 2_000, 4_000]) {
    const stop = begin();
    const before = reloads();
    await after(pause - 1);
    assert.equal(reloads(), before, `${pause}`);
    await after(1);
    assert.equal(reloads(), before + 1, `${pause}`);
    stop();
  }
  for (let i = 0; i < 20; i++) {
    const stop = begin();
    await after(5 * 60_000);
    stop();
  }
  assert.equal(reloads(), 23);
});

test("where the pages are the same and all is well with them nothing is loaded, and the next time begins at once", async (t) => {
  const { begin, after, server, reloads, tries } = screen(t, { isWell: async () => true });
  server.offers = "old";
  begin();
  await after(1_000);
  await after(60_000);
  assert.deepEqual([server.asked, reloads(), tries()], [1, 0, 0]);
});

test("a screen that is told otherwise meanwhile neither asks nor loads anything", async (t) => {
  const { begin, after, server, reloads } = screen(t);
  server.offers = "new";
  begin()();
  await after(60_000);
  assert.deepEqual([server.asked, reloads()], [0, 0]);
});
