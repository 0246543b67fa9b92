import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  EVERY_MS,
  forgetBoards,
  type KeptBoard,
  keepBoard,
  keptBoard,
  MAX_AGE_MS,
  SAME_EVERY_MS,
} from "../webapp/src/kept-board.ts";

const AT = Date.parse("2026-03-10T14:02:00Z");

/** A browser that keeps what it is told to. */
function browser(t: TestContext) {
  const kept = new Map<string, Response>();
  const cache = {
    put: async (address: string, response: Response) => void kept.set(address, response),
    match: async (address: string) => kept.get(address)?.clone(),
    delete: async (address: string) => kept.delete(address),
  };
  Object.defineProperty(globalThis, "caches", {
    value: { open: async () => cache, delete: async () => kept.clear() },
    configurable: true,
  });
  t.after(() => Reflect.deleteProperty(globalThis, "caches"));
  t.mock.timers.enable({ apis: ["Date", "setTimeout"], now: AT });
  return kept;
}

const boardOf = (at: number, sequence: number) =>
  ({ at, me: {}, board: { sequence } }) as unknown as KeptBoard;

test("the board that the server told last is kept, also where a backup was brought back, and not one from before", async (t) => {
  browser(t);
  const keep = async (at: number, sequence: number) => {
    keepBoard("acme", boardOf(at, sequence));
    t.mock.timers.tick(EVERY_MS);
    for (let i = 0; i < 20; i++) await turn();
    return (await keptBoard("acme"))?.board.sequence;
  };
  assert.equal(await keep(AT, 500), 500);
  assert.equal(await keep(AT - 1, 499), 500, "of a tab that is behind");
  assert.equal(await keep(AT + 1, 20), 20, "the server's sequence begins anew where the backup ends");
  assert.equal(await keep(AT + 1e12, 21), 21);
  assert.equal(await keep(AT + 2, 22), 22, "the browser's clock was ahead");
});

test("a board that does not change is kept as of the last minute in which it was known to be right", async (t) => {
  browser(t);
  const same = boardOf(AT, 500);
  const hear = async (after: number) => {
    keepBoard("acme", { ...same, at: AT + after });
    t.mock.timers.tick(EVERY_MS);
    for (let i = 0; i < 20; i++) await turn();
    return ((await keptBoard("acme"))?.at ?? 0) - AT;
  };
  assert.equal(await hear(0), 0);
  assert.equal(await hear(15_000), 0, "not written with every sign of life");
  assert.equal(await hear(SAME_EVERY_MS), SAME_EVERY_MS);
  await forgetBoards();
  assert.equal(await hear(SAME_EVERY_MS + 1), SAME_EVERY_MS + 1, "kept anew for the next who signs in");
});

test("a board that is too old to be of use is not shown, and not kept either", async (t) => {
  const kept = browser(t);
  keepBoard("acme", boardOf(AT, 500));
  t.mock.timers.tick(EVERY_MS);
  for (let i = 0; i < 20; i++) await turn();
  t.mock.timers.tick(MAX_AGE_MS - EVERY_MS);
  assert.equal((await keptBoard("acme"))?.board.sequence, 500);
  t.mock.timers.tick(1);
  assert.equal(await keptBoard("acme"), undefined);
  assert.equal(kept.size, 0);
});
