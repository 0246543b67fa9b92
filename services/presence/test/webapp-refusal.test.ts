import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, createApi } from "../../../packages/ui/src/api-client.ts";
import { isRefusal } from "../webapp/src/refusal.ts";

test("a link was revoked where the service says so, not where a proxy answers for it", async (t) => {
  const { call } = createApi({ words: {} });
  const refusedBy = async (status: number, type: string, body: string) => {
    t.mock.method(
      globalThis,
      "fetch",
      async () => new Response(body, { status, headers: { "content-type": type } }),
    );
    return isRefusal(await call("GET /shared" as never).catch((error: unknown) => error));
  };
  const problem = (code: string) => JSON.stringify({ code, title: "No", detail: "No." });
  assert.equal(await refusedBy(404, "application/problem+json", problem("share_link_not_found")), true);
  assert.equal(
    await refusedBy(404, "text/html", "<h1>404 page not found</h1>"),
    false,
    "a proxy without a route",
  );
  assert.equal(await refusedBy(403, "text/html", "<h1>Forbidden</h1>"), false);
  assert.equal(
    await refusedBy(429, "application/problem+json", problem("rate_limited")),
    false,
    "later, yes",
  );
  assert.equal(await refusedBy(503, "application/problem+json", problem("unavailable")), false);
  assert.equal(isRefusal(new ApiError({ status: 0, code: "unreachable", message: "" })), false);
  assert.equal(isRefusal(null), false);
});
