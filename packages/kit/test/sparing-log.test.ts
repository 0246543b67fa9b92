import assert from "node:assert/strict";
import { test } from "node:test";
import { sparingLog } from "@frontdesk/kit/sparing-log";
import { fakeClock } from "@frontdesk/testkit/clock";

test("a failure that goes on is told once a minute, and each other one by itself", () => {
  const clock = fakeClock();
  const lines: string[] = [];
  const say = ({ err, org }: Readonly<Record<string, unknown>>, text: string) =>
    void lines.push([text, (err as Error).message, org].join());
  const log = sparingLog({ error: say, warn: say }, clock);
  const fail = (why = "away", org = "a") => log.error({ err: new Error(why), org }, "a sweep failed");
  for (let second = 0; second < 90; second++) {
    for (let i = 0; i < 4; i++) fail();
    clock.advance(1_000);
  }
  assert.deepEqual(lines.splice(0), ["a sweep failed,away,a", "a sweep failed,away,a"]);
  fail("full");
  fail("away", "b");
  log.warn({ err: new Error("away"), org: "a" }, "the stream failed");
  assert.deepEqual(lines.splice(0), [
    "a sweep failed,full,a",
    "a sweep failed,away,b",
    "the stream failed,away,a",
  ]);
  // A database is away for many reasons, and says the same to callers for each.
  for (const cause of ["refused", "refused", "too many clients"])
    log.error({ err: new Error("away", { cause: new Error(cause) }), org: "a" }, "a sweep failed");
  assert.deepEqual(lines, ["a sweep failed,away,a", "a sweep failed,away,a"]);
});
