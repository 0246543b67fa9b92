import { DomainError } from "@frontdesk/kit/domain-error";
import { SECURITY_HEADERS } from "@frontdesk/kit/http-server";
import { REFUSALS } from "@frontdesk/lease-control-api/schemas";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { LiveFeed } from "../domain/live-feed.ts";
import type { SignIn } from "../domain/sign-in.ts";
import { principalOf, whoAsks } from "./gate.ts";

const MAX_STREAMS = 200;
/** Of one person or token: nobody can take them all. */
export const MAX_STREAMS_EACH = 20;
/** A reader that falls behind by this much is cut off; it comes back and asks anew. */
const MAX_BEHIND = 1024 * 1024;
export const LOOK_EVERY_MS = 5_000;
const streams: string[] = [];

/** Tells what happens until the reader leaves, or may no longer hear it. */
export function openStream(
  request: FastifyRequest,
  reply: FastifyReply,
  live: LiveFeed,
  signIn: SignIn,
): void {
  const { actor } = principalOf(request);
  const isFull =
    streams.length >= MAX_STREAMS || streams.filter((each) => each === actor).length >= MAX_STREAMS_EACH;
  // HEAD is answered at once, and holds no place.
  const isHead = request.method === "HEAD";
  if (isFull && !isHead) throw new DomainError("too_many_streams", REFUSALS.too_many_streams);
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...SECURITY_HEADERS,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
  });
  if (isHead) return void raw.end();
  streams.push(actor);
  raw.write(": open\n\n");
  const leave = live.subscribe(
    ({ id, event, data }) => {
      raw.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
      if (raw.writableLength > MAX_BEHIND) raw.destroy();
    },
    // Requests under way are waited for when the server closes: this one would not end by itself.
    () => raw.destroy(),
  );
  const look = setInterval(() => {
    void whoAsks(request, signIn).then(
      (principal) => {
        // An event too: of a comment alone pages hear nothing, nor that it does not come.
        if (principal) return raw.write(": still here\nevent: alive\ndata: {}\n\n");
        leave();
        return raw.end();
      },
      () => raw.destroy(),
    );
  }, LOOK_EVERY_MS);
  raw.on("error", () => {});
  raw.on("close", () => {
    streams.splice(streams.indexOf(actor), 1);
    leave();
    clearInterval(look);
  });
}
