import assert from "node:assert/strict";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Faces } from "../src/domain/read-avatar.ts";
import { ANNA, directFaces, hashOf, mediaFixture, savedStill } from "./media-fixture.ts";

const SAVED = hashOf("saved@example.org");
const GONE = hashOf("gone@example.org");

const paths = [
  ANNA,
  ANNA.toUpperCase(),
  SAVED,
  GONE,
  ANNA.slice(1),
  `${ANNA}0`,
  `${ANNA}.json`,
  `${ANNA}.png`,
]
  .map((hash) => `/${hash}`)
  .concat(`/avatar/${ANNA}`, "/nothing", `//${ANNA}`, `/${ANNA}/`);
const queries = [
  "",
  "?",
  "?s=96",
  "?s=96&s=32",
  "?size=40&default=bottts&forcedefault=y",
  "?d=identicon&fmt=svg",
  "?d=blank&v=7",
  "?d=404",
  "?d=404&f=y",
  "?f=y&s=abc&&=&=x&d",
  "?d=%62lank&s=16",
  "?s=+16",
  "?s=16;d=blank",
  "?d=https%3A%2F%2Fexample.org%2Fface.png",
  "?__proto__=x&constructor=y&s=20",
  `?s=20&${"x=1&".repeat(60)}`,
];

test("a read over a socket is answered exactly as the router would answer it", async (t) => {
  const { app, objects, save, remove } = await mediaFixture(t);
  await save(SAVED, { kind: "uploaded", version: 3, image: await savedStill(objects, "saved") });
  await remove(GONE, 2);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;

  for (const path of paths) {
    for (const query of queries) {
      for (const method of ["GET", "HEAD", "POST"] as const) {
        const url = path + query;
        const over = await overSocket(port, method, url);
        const routed = await app.inject({ method, url });
        const what = `${method} ${url}`;
        assert.equal(over.status, routed.statusCode, what);
        assert.deepEqual(lasting(over.headers), lasting(routed.headers), what);
        if (method !== "HEAD") assert.ok(over.body.equals(routed.rawPayload), what);
        const { etag } = over.headers;
        if (method === "POST" || typeof etag !== "string") continue;
        const again = await overSocket(port, method, url, { "if-none-match": `"other", W/${etag}` });
        assert.equal(again.status, 304, what);
        assert.equal(again.body.length, 0, what);
      }
    }
  }
});

test("a drawing that fails is told over a socket as anywhere, and the next is drawn", async (t) => {
  let broken = true;
  let tries = 0;
  const faces: Faces = {
    draw: async (face) => {
      tries++;
      if (broken) throw new Error("bad day");
      return directFaces.draw(face);
    },
  };
  const { app } = await mediaFixture(t, { faces });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const failed = await overSocket(port, "GET", `/${ANNA}`);
  assert.equal(failed.status, 500);
  assert.deepEqual(JSON.parse(failed.body.toString()), { error: "internal" });
  assert.equal(tries, 1, "what failed is not tried again for the same request");
  broken = false;
  assert.equal((await overSocket(port, "GET", `/${ANNA}`)).status, 200);
});

/** Headers but for those that belong to the moment or to the connection. */
function lasting(headers: Record<string, unknown>) {
  const { date, connection, "keep-alive": keep, "transfer-encoding": coding, ...rest } = headers;
  const id = rest["x-request-id"];
  assert.ok(typeof id === "string" && id.length > 0);
  // Node leaves the length out of what has no body; the stand-in for a socket counts it.
  return { ...rest, "x-request-id": "an id", "content-length": String(rest["content-length"] ?? 0) };
}

function overSocket(port: number, method: string, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      request({ host: "127.0.0.1", port, method, path, headers, agent: false }, async (reply) => {
        const body = Buffer.concat(await Array.fromAsync(reply));
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body });
      })
        .on("error", reject)
        .end();
    },
  );
}
