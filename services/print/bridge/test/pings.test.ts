import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted, bridge, until } from "./support.ts";

test("of many pings that come at once the newest is answered, and few of those before it", async (t) => {
  const b = await bridge(t);
  const page = await admitted(t, b.url, b.allow());
  const answered: number[] = [];
  page.socket.on("pong", (data) => answered.push(Number(data)));
  for (let n = 0; n < 10_000; n++) page.socket.ping(String(n));
  await until("the newest is answered", () => answered.at(-1) === 9_999);
  assert.ok(answered.length < 1_000, `${answered.length} are answered`);
  assert.deepEqual(
    answered,
    answered.toSorted((one, other) => one - other),
  );
  assert.equal(await page.code("ping"), undefined, "what comes after them is answered");
});
