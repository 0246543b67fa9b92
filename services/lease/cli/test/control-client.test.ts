import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Client } from "../src/control-client.ts";

test("a reply that is cut off is told like an engine that does not answer", async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const client = new Client(`http://127.0.0.1:${port}`, "");
  await assert.rejects(client.call("GET", "/v1/health"), { unreachable: true, message: /does not answer/ });
});

test("a token that cannot be one is told as that, not as an engine that is away", () => {
  assert.throws(() => new Client("http://127.0.0.1:9", "tökén€"), {
    unreachable: false,
    message: /characters that no token has/,
  });
});
