import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiProblems } from "@frontdesk/testkit/openapi-lint";
import { bridge } from "./support.ts";

test("the OpenAPI document has nothing that a linter would complain about", async (t) => {
  const { http } = await bridge(t);
  const document = (await (await fetch(`${http}/openapi.json`)).json()) as object;
  assert.deepEqual(await openApiProblems(document), []);
});
