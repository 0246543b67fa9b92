import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { CONTROL_HEADER } from "@frontdesk/lease-control-api/schemas";
import { Client } from "../src/control-client.ts";

test("a reply that is cut off is told like an engine that does not answer", async (t) => {
  const server = createServer((_, response) => {
    response.setHeader(CONTROL_HEADER.name, CONTROL_HEADER.version);
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

test("what an engine refuses with is not for the terminal to obey, and need not be what it should be", async (t) => {
  let answer = "";
  const headers = { [CONTROL_HEADER.name]: CONTROL_HEADER.version };
  const server = createServer((_, response) => response.writeHead(500, headers).end(answer));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const client = new Client(`http://127.0.0.1:${port}`, "");
  for (const [body, message] of [
    ['{"error":"\\u001b[2Jgone"}', "The engine refused: ?[2Jgone."],
    ["null", "The engine refused: status 500."],
    ['{"error":7}', "The engine refused: 7."],
  ] as const) {
    answer = body;
    await assert.rejects(client.call("GET", "/v1/health"), { message });
  }
});

test("what answers and is not the engine is told as that, also where it says that all is well", async (t) => {
  let answer = "";
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end(answer)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const client = new Client(`http://127.0.0.1:${port}`, "");
  for (status of [200, 502])
    for (answer of ["<html>", "", "null", "7", "{}", '{"items":[]}'])
      await assert.rejects(client.call("GET", "/v1/leases"), {
        unreachable: true,
        message: /not the engine's control API/,
      });
});
