import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createStreams } from "../src/http/app-streams.ts";
import type { LiveHub } from "../src/http/live-hub.ts";
import { silent } from "./desk-under-test.ts";

test("a link that is revoked between the answer who asks and the beginning of the stream ends it at once", async () => {
  let isRevoked = false;
  const hub = {
    listen: async () => {
      isRevoked = true;
    },
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
      ended: async () => (isRevoked ? "event: revoked\n\n" : undefined),
    },
  );
  assert.equal(await text(raw), "event: revoked\n\n");
  if (!raw.closed) await once(raw, "close");
  assert.equal(streams.count(), 0);
});
