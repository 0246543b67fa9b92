import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "@frontdesk/kit/log";
import type { Engine, StreamedEvent } from "../src/domain/engine.ts";
import { createLiveFeed } from "../src/domain/live-feed.ts";

test("a history that begins anew is heard from its beginning, whatever is still on the line from before", async (t) => {
  const heard: string[] = [];
  const { promise: isForgotten, resolve: forgotten } = Promise.withResolvers<void>();
  const { promise: askedAgain, resolve: askAgain } = Promise.withResolvers<number | undefined>();
  const eventOf = (id: string): StreamedEvent => ({ id, event: "lease", data: id });
  let lines = 0;
  const stream: Engine["stream"] = async function* (path, after) {
    if (path !== "events") return;
    if (lines++ > 0) return askAgain(after);
    yield eventOf("7");
    await isForgotten;
    yield eventOf("8");
  };
  const live = createLiveFeed({
    engine: { stream } as Engine,
    log: createLog({ service: "lease", level: "silent", settings: {} }),
    now: () => 0,
    onConfig: async () => {},
  });
  t.after(() => live.stop());
  live.subscribe(({ data }) => {
    heard.push(data);
    live.forget();
    forgotten();
  });
  live.start();
  assert.equal(await askedAgain, 0);
  assert.deepEqual(heard, ["7"]);
});

test("the version that runs is told again when the engine was away, also where it is the same", async (t) => {
  const told: string[] = [];
  const { promise: isAskedAgain, resolve: askAgain } = Promise.withResolvers<void>();
  let lines = 0;
  const status = JSON.stringify({ started_at: "", counters: {}, config: { running: "one" } });
  const stream: Engine["stream"] = async function* (path) {
    if (path !== "status") return;
    if (++lines === 3) return askAgain();
    yield { id: undefined, event: "status", data: status };
    yield { id: undefined, event: "status", data: status };
  };
  const live = createLiveFeed({
    engine: { stream } as Engine,
    log: createLog({ service: "lease", level: "silent", settings: {} }),
    now: () => 0,
    onConfig: async (running) => void told.push(running),
  });
  t.after(() => live.stop());
  live.start();
  await isAskedAgain;
  assert.deepEqual(told, ["one", "one"]);
});

test("a version that could not be kept is told again with the next status", async (t) => {
  const told: string[] = [];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const status = JSON.stringify({ started_at: "", counters: {}, config: { running: "one" } });
  let heard = 0;
  const stream: Engine["stream"] = async function* (path) {
    if (path !== "status") return;
    for (let times = 0; times < 4; times++) {
      yield { id: undefined, event: "status", data: status };
      // The refusal is heard before the next status.
      await new Promise(setImmediate);
    }
    end();
  };
  const live = createLiveFeed({
    engine: { stream } as Engine,
    log: createLog({ service: "lease", level: "silent", settings: {} }),
    now: () => 0,
    onHeard: () => heard++,
    onConfig: async (running) => {
      told.push(running);
      if (told.length < 3) throw new Error("database is locked");
    },
  });
  t.after(() => live.stop());
  live.start();
  await isOver;
  assert.deepEqual(told, ["one", "one", "one"]);
  assert.equal(heard, 1);
});

test("whoever subscribes when all has ended is told so", (t) => {
  const live = createLiveFeed({
    engine: {} as Engine,
    log: createLog({ service: "lease", level: "silent", settings: {} }),
    now: () => 0,
    onConfig: async () => {},
  });
  live.stop();
  const onEnd = t.mock.fn();
  live.subscribe(() => {}, onEnd);
  assert.equal(onEnd.mock.callCount(), 1);
});

test("a number that no event of the engine's has does not come into the next question", async (t) => {
  const { promise: asked, resolve: askedThrice } = Promise.withResolvers<void>();
  const after: Array<number | undefined> = [];
  const ids = ["7", "abc"];
  const stream: Engine["stream"] = async function* (path, last) {
    if (path !== "events") return;
    after.push(last);
    if (after.length === 3) return askedThrice();
    yield { id: ids.shift(), event: "lease", data: "{}" };
  };
  const live = createLiveFeed({
    engine: { stream } as Engine,
    log: createLog({ service: "lease", level: "silent", settings: {} }),
    now: () => 0,
    onConfig: async () => {},
  });
  t.after(() => live.stop());
  live.start();
  await asked;
  assert.deepEqual(after, [undefined, 7, 7]);
});
