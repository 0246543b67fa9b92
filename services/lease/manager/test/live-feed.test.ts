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
