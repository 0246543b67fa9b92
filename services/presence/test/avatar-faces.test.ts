import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fetchFace } from "../src/adapters/avatar-faces.ts";

const PNG = { "content-type": "image/png" };
const LARGE = Buffer.alloc(600 * 1024);

const answers: Record<string, RequestListener> = {
  "no such face": (_request, response) => response.writeHead(404).end("no"),
  "another place": (_request, response) =>
    response.writeHead(302, { location: "http://127.0.0.1:1/" }).end("there"),
  "too busy": (_request, response) => response.writeHead(503, PNG).end("busy"),
  "no picture": (_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
  "a picture that is too large": (_request, response) =>
    response.writeHead(200, { ...PNG, "content-length": LARGE.length }).end(LARGE),
  "a picture that turns out too large": (_request, response) => response.writeHead(200, PNG).end(LARGE),
  "half a picture": (_request, response) => {
    response.writeHead(200, { ...PNG, "content-length": "100" });
    response.write("half", () => response.destroy());
  },
};
for (const [what, answer] of Object.entries(answers))
  test(`where the avatar service has ${what}, there is no face, and nothing ends`, async (t) => {
    const server = createServer(answer).listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    assert.equal(await fetchFace(`http://127.0.0.1:${port}/face`), undefined);
    // What is told after the answer, to nobody, would end the process.
    for (let turns = 0; turns < 10; turns++) await turn();
  });
