import assert from "node:assert/strict";
import type { Socket } from "node:net";
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

test("a ping behind as many frames as may wait is answered, and so is the next one", async (t) => {
  const b = await bridge(t);
  const page = await admitted(t, b.url, b.allow());
  const answered: string[] = [];
  page.socket.on("pong", (data) => answered.push(String(data)));
  // Masked with zeros.
  const noRequest = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]);
  const ping = Buffer.from([0x89, 0x81, 0, 0, 0, 0, 0x31]);
  let refused = 0;
  page.socket.on("message", () => {
    refused++;
  });
  const { _socket: raw } = page.socket as unknown as { _socket: Socket };
  raw.write(Buffer.concat([Buffer.alloc(2_000 * noRequest.length, noRequest), ping]));
  await until("all are refused", () => refused === 2_000);
  page.socket.ping("2");
  await page.ask("ping");
  assert.deepEqual(answered, ["1", "2"], "each before what came after it");
});
