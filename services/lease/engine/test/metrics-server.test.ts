import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
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
