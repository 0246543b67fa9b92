import assert from "node:assert/strict";
import { test } from "node:test";
import { createNewestLast } from "../src/newest-last.ts";

/** A server that answers when it is told to. */
function slowServer() {
  const asked: string[] = [];
  const answers = new Map<string, { resolve: (answer: string) => void; reject: (error: Error) => void }>();
  return {
    asked,
    ask: (what: string) => () =>
      new Promise<string>((resolve, reject) => {
        asked.push(what);
        answers.set(what, { resolve, reject });
      }),
    answer: (what: string) => answers.get(what)?.resolve(what),
    fail: (what: string) => answers.get(what)?.reject(new Error(`no ${what}`)),
  };
}

test("the last click is the last that the server hears of, however slow the first request is", async () => {
  const { asked, ask, answer } = slowServer();
  const inTurn = createNewestLast();
  const remote = inTurn("ada", ask("remote"));
  const away = inTurn("ada", ask("away"));
  const focus = inTurn("ada", ask("focus"));
  assert.equal(await away, undefined, "a newer one took its place");
  assert.deepEqual(asked, ["remote"], "one at a time");
  answer("remote");
  assert.equal(await remote, undefined, "a newer one follows");
  assert.deepEqual(asked, ["remote", "focus"]);
  answer("focus");
  assert.equal(await focus, "focus");
});

test("one that fails lets the newest go, and others' changes wait for nobody", async () => {
  const { asked, ask, answer, fail } = slowServer();
  const inTurn = createNewestLast();
  const remote = inTurn("ada", ask("remote"));
  const focus = inTurn("ada", ask("focus"));
  const bens = inTurn("ben", ask("sick"));
  assert.deepEqual(asked, ["remote", "sick"]);
  fail("remote");
  await assert.rejects(remote, /no remote/);
  answer("focus");
  answer("sick");
  assert.deepEqual(await Promise.all([focus, bens]), ["focus", "sick"]);
  const next = inTurn("ada", ask("away"));
  answer("away");
  assert.equal(await next, "away", "at once where nothing is on its way");
});
