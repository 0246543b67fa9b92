import assert from "node:assert/strict";
import { once } from "node:events";
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

test("an engine that goes away before it answers may have done what it was asked to change", async (t) => {
  const server = createServer(({ socket }) => socket.destroy()).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.on("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = createControlClient(() => ({ url, token: undefined }));
  await assert.rejects(engine.release("10.0.0.1"), { code: "engine_unanswered" });
  await assert.rejects(engine.writeConfig("", "seen"), { code: "engine_unanswered" });
  await assert.rejects(engine.status(), { code: "engine_away" });
  await assert.rejects(engine.explain({}), { code: "engine_away" });
  server.close();
  await once(server, "close");
  await assert.rejects(engine.release("10.0.0.1"), { code: "engine_away" }, "nobody heard it");
});

test("an answer that is cut off tells no more than none", async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.on("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = createControlClient(() => ({ url, token: undefined }));
  await assert.rejects(engine.change("10.0.0.1", { note: "" }), { code: "engine_unanswered" });
  await assert.rejects(engine.lease("10.0.0.1"), { code: "engine_away" });
});
