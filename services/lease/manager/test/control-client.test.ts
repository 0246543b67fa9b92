import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
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

/** Where each question is answered so. */
async function answering(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The client of an engine that answers each question so. */
async function askingOne(t: TestContext, answer: RequestListener) {
  const url = await answering(t, answer);
  return createControlClient(() => ({ url, token: undefined }));
}

test("what answers at the engine's address and is not the engine is told as that, however it answers", async (t) => {
  for (const [status, body] of [
    [200, "<html>"],
    [200, ""],
    [200, "null"],
    [200, "7"],
    [412, "<html>"],
    [422, "null"],
    [422, '{"problems":"none"}'],
    [302, ""],
  ] as const) {
    const engine = await askingOne(t, (_request, response) => void response.writeHead(status).end(body));
    const asked = {
      status: () => engine.status(),
      leases: () => engine.leases({}),
      change: () => engine.change("10.0.0.1", { note: "" }),
      writeConfig: () => engine.writeConfig("", "seen"),
      rollBackConfig: () => engine.rollBackConfig(),
      checkConfig: () => engine.checkConfig(""),
      replay: () => engine.replay(""),
    };
    for (const [name, ask] of Object.entries(asked))
      await assert.rejects(
        ask,
        { code: "engine_away", message: /not its control API/ },
        `${status} ${body} ${name}`,
      );
  }
});

test("an answer to change to another protocol is none, and nobody waits for it for ever", async (t) => {
  const engine = await askingOne(t, (_request, response) => {
    response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n");
  });
  const late = delay(2_000, "nothing was told", { ref: true });
  const told = engine.status().catch(({ code }: { code: string }) => code);
  assert.equal(await Promise.race([told, late]), "engine_away");
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

test("an engine that serves elsewhere by now is found, whatever has its address since", async (t) => {
  const real = await answering(t, ({ url = "" }, response) => {
    if (!url.includes("stream")) return void response.end('{"healthy":true}');
    response.writeHead(200, { "content-type": "text/event-stream" }).end("event: status\ndata: {}\n\n");
  });
  for (const [status, body] of [
    [404, '{"error":"Not Found"}'],
    [200, "<html>"],
  ] as const) {
    const other = await answering(t, (_request, response) => void response.writeHead(status).end(body));
    let url = other;
    const engine = createControlClient(() => ({ url, token: undefined }));
    url = real;
    await assert.rejects(engine.status(), { code: "engine_away" });
    assert.deepEqual(await engine.status(), { healthy: true });
  }
  // Which has no word of this protocol in it, and is no refusal.
  let url = await answering(t, (_request, response) => void response.end("{}"));
  const engine = createControlClient(() => ({ url, token: undefined }));
  assert.deepEqual(await engine.status(), {});
  url = real;
  const heard = await Array.fromAsync(engine.stream("status", undefined, AbortSignal.timeout(60_000)));
  assert.deepEqual(heard, [{ id: undefined, event: "status", data: "{}" }]);
  assert.deepEqual(await engine.status(), { healthy: true });
});

test("an answer or an event that does not end is not read for ever", async (t) => {
  const chunk = Buffer.alloc(1024 * 1024, "[");
  let sent = 0;
  const engine = await askingOne(t, (_request, response) => {
    sent = 0;
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    response.on("drain", more);
    more();
  });
  const most = 100 * chunk.length;
  await assert.rejects(engine.status(), { code: "engine_away" });
  assert.ok(sent < most, `${sent} octets of an answer`);
  await assert.rejects(engine.change("10.0.0.1", { note: "" }), { code: "engine_unanswered" });
  assert.ok(sent < most, `${sent} octets of an answer to a change`);
  await assert.rejects(Array.fromAsync(engine.stream("events", 0, AbortSignal.timeout(60_000))));
  assert.ok(sent < most, `${sent} octets of an event`);
});
