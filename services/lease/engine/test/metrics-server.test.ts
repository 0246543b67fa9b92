import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { untilEqual } from "@frontdesk/testkit/until";
import { serveMetrics } from "../src/control/metrics-server.ts";

test("the metrics listener says by /healthz whether the engine can do its job", async (t) => {
  const port = await freePort();
  let problems: () => Promise<string[]> = async () => [];
  const registry = { metrics: async () => "", contentType: "text/plain" as never };
  const server = await serveMetrics(registry, { host: "127.0.0.1", port }, () => problems());
  t.after(() => server.close());
  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    return [response.status, await response.text()];
  };
  assert.deepEqual(await health(), [200, '{"status":"ok"}']);
  problems = async () => ["leases cannot be written to disk"];
  assert.deepEqual(await health(), [
    503,
    '{"status":"unavailable","reason":"leases cannot be written to disk"}',
  ]);
  problems = () => Promise.reject(new Error("the packet worker has ended"));
  assert.equal((await health())[0], 503);
});

test("a request to the metrics listener that names two hosts is refused", async (t) => {
  const port = await freePort();
  const registry = { metrics: async () => "", contentType: "text/plain" as never };
  const server = await serveMetrics(registry, { host: "127.0.0.1", port }, async () => []);
  t.after(() => server.close());
  const answer = await new Promise<string>((resolve, reject) => {
    let text = "";
    connect(port, "127.0.0.1")
      .on("error", reject)
      .on("data", (data) => (text += data))
      .on("end", () => resolve(text))
      .end("GET /metrics HTTP/1.1\r\nhost: localhost\r\nHost: evil.example\r\nconnection: close\r\n\r\n");
  });
  assert.match(answer, /^HTTP\/1.1 400 /);
});

test("a connection on which requests come without end is cut, and the next one is answered", async (t) => {
  const port = await freePort();
  const registry = { metrics: async () => "", contentType: "text/plain" as never };
  const server = await serveMetrics(registry, { host: "127.0.0.1", port }, async () => []);
  t.after(() => server.close());
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  t.after(() => socket.destroy());
  let received = "";
  socket.on("data", (data) => {
    received += data;
  });
  const answers = () => received.split("HTTP/1.1 200").length - 1;
  socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(5_000));
  await untilEqual(() => socket.closed || answers() > 8, true);
  assert.ok(answers() <= 8, `${answers()} are answered`);
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
});
