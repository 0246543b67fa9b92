import assert from "node:assert/strict";
import type { ClientRequest } from "node:http";
import { request } from "node:https";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { LiveFeed } from "../src/domain/live-feed.ts";
import type { SignIn } from "../src/domain/sign-in.ts";
import { LOOK_EVERY_MS, MAX_STREAMS_EACH, openStream } from "../src/http/stream.ts";
import { managerDesk } from "./manager-desk.ts";

test("streams of what happens", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const open = new Set<ClientRequest>();
  const leaveAll = () => {
    for (const each of open) each.destroy();
    open.clear();
  };
  t.after(leaveAll);
  const statusOf = (cookie: string, method = "GET"): Promise<number | undefined> =>
    new Promise((resolve) => {
      const asked = request(
        {
          host: "127.0.0.1",
          port: desk.port,
          path: "/api/v1/stream",
          method,
          ca: desk.ca,
          headers: { cookie },
          agent: false,
        },
        (response) => {
          response.on("error", () => {});
          response.resume();
          resolve(response.statusCode);
        },
      );
      open.add(asked);
      asked.on("error", () => {});
      asked.end();
    });

  await t.test("one person cannot take the streams of all others", async () => {
    const body = { username: "vera", password: "vera's password", role: "viewer" };
    assert.equal((await admin("POST", "users", { body })).status, 201);
    const { cookie } = await desk.signedIn("vera", body.password);
    for (let i = 0; i <= MAX_STREAMS_EACH; i++) assert.equal(await statusOf(cookie, "HEAD"), 200);
    for (let i = 0; i < MAX_STREAMS_EACH; i++) assert.equal(await statusOf(cookie), 200);
    assert.equal(await statusOf(cookie), 503);
    assert.equal(await statusOf(admin.cookie), 200);
  });
});

test("now and then comes a sign of life that pages hear, until the session has ended", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let principal: object | undefined = { actor: "vera" };
  const raw = Object.assign(new PassThrough({ encoding: "utf8" }), { writeHead: () => {} });
  openStream(
    { principal, headers: { cookie: "lease_session=1" } } as unknown as FastifyRequest,
    { raw, hijack: () => {} } as unknown as FastifyReply,
    { subscribe: () => () => {} } as unknown as LiveFeed,
    { ofSession: async () => principal } as unknown as SignIn,
  );
  let heard = "";
  for await (const text of raw) {
    heard += text;
    if (heard.includes("alive")) principal = undefined;
    t.mock.timers.tick(LOOK_EVERY_MS);
  }
  assert.equal(heard, ": open\n\n: still here\nevent: alive\ndata: {}\n\n");
});
