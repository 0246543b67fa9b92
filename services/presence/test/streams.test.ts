import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createStreams, type StreamOptions } from "../src/http/app-streams.ts";
import type { Listener, LiveEvent, LiveHub } from "../src/http/live-hub.ts";
import { silent } from "./desk-under-test.ts";

/** A stream to somebody, with what tells it of events. */
function openStream(listen: (listener: Listener) => void, options: Partial<StreamOptions>) {
  const hub = {
    listen: async (_org: string, _place: object, listener: Listener) => listen(listener),
  } as unknown as LiveHub;
  const raw = Object.assign(new PassThrough(), { writeHead: () => {}, flushHeaders: () => {} });
  const streams = createStreams(hub, silent);
  streams.open(
    { id: "r", raw: { socket: { destroyed: false } } } as unknown as FastifyRequest,
    { raw, hijack: () => {} } as unknown as FastifyReply,
    {
      orgId: "o",
      place: { after: 0, since: 0 },
      bounds: [],
      version: "1",
      frame: () => "",
      revised: () => "",
      ended: async () => undefined,
      ...options,
    },
  );
  return { raw, streams };
}

test("a link that is revoked between the answer who asks and the beginning of the stream ends it at once", async () => {
  let isRevoked = false;
  const { raw, streams } = openStream(
    () => {
      isRevoked = true;
    },
    { ended: async () => (isRevoked ? "event: revoked\n\n" : undefined) },
  );
  assert.equal(await text(raw), "event: revoked\n\n");
  if (!raw.closed) await once(raw, "close");
  assert.equal(streams.count(), 0);
});

test("an event that cannot be read while one before it is still being read cuts the stream, and nothing else", async (t) => {
  const unhandled = t.mock.fn();
  process.on("unhandledRejection", unhandled);
  t.after(() => process.off("unhandledRejection", unhandled));
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const frames = [first.promise, second.promise];
  const { raw, streams } = openStream(
    (listener) => {
      const event = { type: "member.joined", data: { member: { id: "m" } } } as unknown as LiveEvent;
      listener.event(event);
      listener.event(event);
    },
    { frame: () => frames.shift() ?? "" },
  );
  await turn();
  second.reject(new Error("the database is away"));
  await turn();
  first.reject(new Error("the database is away"));
  if (!raw.closed) await once(raw, "close");
  assert.equal(unhandled.mock.callCount(), 0, "it would end the process");
  assert.equal(streams.count(), 0);
});
