import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyReply, FastifyRequest } from "fastify";
import { mintToken } from "../src/domain/token.ts";
import type { TokenHolder } from "../src/domain/token-holder.ts";
import { createGate, visitorOf } from "../src/http/gate.ts";

test("a token is judged as of when the store was asked, however long the answer takes", async () => {
  const holder: TokenHolder = {
    tokenId: "token",
    scopes: [],
    expiresAt: null,
    revokedAt: null,
    integration: { id: "hr", name: "HR" },
    org: { id: "org", slug: "acme" },
  };
  let now = 1_000;
  const later = async <T>(value: T): Promise<T> => {
    now += 5_000;
    return value;
  };
  const gate = createGate({
    reader: { tokenHolder: () => later(holder) },
    usage: { note: () => {} },
    windows: { consume: () => later({ allowed: true, remaining: 1, resetMs: 1, waitMs: 0 }) },
    policy: { max: 600, windowMs: 60_000 },
    clock: { now: () => now },
  });
  const request = {
    headers: { authorization: `Bearer ${mintToken()}` },
    params: { org: "acme" },
    visitor: null,
  } as unknown as FastifyRequest;
  const reply = { header: () => reply } as unknown as FastifyReply;
  await new Promise<void>((resolve, reject) => {
    gate.letIn([])(request, reply, (error) => (error ? reject(error) : resolve()));
  });
  const { actor } = visitorOf(request);
  assert.equal(actor.kind === "integration" && actor.admittedAt, 1_000);
});
