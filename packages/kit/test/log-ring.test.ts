import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../src/log.ts";
import { keepRecentLines } from "../src/log-ring.ts";

test("the newest lines are kept, shortened where they are long, and go where they went before", () => {
  const written: string[] = [];
  const to = { write: (line: string) => void written.push(line) };
  const log = createLog({ service: "test", level: "info", settings: {}, to });
  const recent = keepRecentLines(log, 3);
  for (let n = 0; n < 5; n++) log.info({ n, token: "secret" }, "said");
  assert.deepEqual(
    recent().map((line) => [JSON.parse(line).n, JSON.parse(line).token]),
    [2, 3, 4].map((n) => [n, "[hidden]"]),
  );
  log.info("x".repeat(100_000));
  assert.equal(recent().at(-1)?.length, 8 * 1024);
  assert.equal(written.length, 6);
  assert.ok((written.at(-1)?.length ?? 0) > 100_000);
});
