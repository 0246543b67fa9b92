import assert from "node:assert/strict";
import { test } from "node:test";
import { isServerAway } from "../webapp/src/server-away.ts";

/** In words of its own. */
const PROXY_404 = "a proxy's";

function errorOf(status: number | string | undefined) {
  if (status === undefined) return null;
  return status === PROXY_404 ? { status: 404, code: "http_404" } : { status, code: "refused" };
}

test("the server is away where it refuses nothing and answers nothing, also while it hangs", () => {
  const cases: ReadonlyArray<
    [data: unknown, status: number | string | undefined, isUnanswered: boolean, isAway: boolean]
  > = [
    [undefined, undefined, false, false],
    [undefined, undefined, true, true],
    [undefined, 0, true, true],
    [undefined, 502, false, true],
    [undefined, 403, false, false],
    [undefined, 403, true, false],
    [undefined, PROXY_404, false, true],
    [null, undefined, true, false],
    [{ email: "anna@example.org" }, undefined, true, false],
  ];
  for (const [data, status, isUnanswered, isAway] of cases) {
    const error = errorOf(status);
    assert.equal(isServerAway({ data, error }, isUnanswered), isAway, JSON.stringify([data, status]));
  }
});
