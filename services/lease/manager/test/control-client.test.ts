import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createControlClient } from "../src/adapters/control-client.ts";

test("all who ask while the engine takes another token get their answer, not only the first", async (t) => {
  const refused: ServerResponse[] = [];
  const server = createServer(({ headers }, response) => {
    if (headers.authorization === "Bearer new") return void response.end('{"healthy":true}');
    refused.push(response.writeHead(401));
    // Both have asked before either is answered.
    if (refused.length === 2) for (const each of refused) each.end('{"error":"unauthorized"}');
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.on("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokens = ["old"];
  const engine = createControlClient(() => ({ url, token: tokens.shift() ?? "new" }));
  const answers = await Promise.all([engine.status(), engine.status()]);
  assert.deepEqual(answers, [{ healthy: true }, { healthy: true }]);
});
