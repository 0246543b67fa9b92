import type { Clock } from "@frontdesk/kit/clock";
import type { FastifyReply, FastifyRequest } from "fastify";
import { BridgeError } from "../domain/errors.ts";
import type { Limits } from "../domain/limits.ts";
import { createTokenBucket } from "../protocol/token-bucket.ts";

/** Origins that asked lately; when there are more, all begin anew. */
const MAX_ORIGINS = 1_000;

/** What a connection of the protocol may ask in a second, an origin may ask by HTTP, before its body is read. */
export function createCallerLimits(clock: Clock, limits: Limits) {
  const buckets = new Map<string, ReturnType<typeof createTokenBucket>>();
  return (origin: string, request: FastifyRequest, reply: FastifyReply): void => {
    if (buckets.size >= MAX_ORIGINS) buckets.clear();
    const bucket = buckets.get(origin) ?? createTokenBucket(clock, limits.requestsPerSecond, limits.burst);
    buckets.set(origin, bucket);
    // Without a length it may be the largest that is read.
    const { "content-length": length, "transfer-encoding": chunked } = request.headers;
    if (bucket.take(chunked === undefined ? Number(length ?? 0) : limits.frameBytes)) return;
    const retryAfterMs = bucket.retryAfterMs();
    reply.header("retry-after", String(Math.ceil(retryAfterMs / 1000)));
    throw new BridgeError("RATE_LIMITED", "Too many requests.", { retryAfterMs });
  };
}
