import assert from "node:assert/strict";
import { test } from "node:test";
import { unpublished } from "@frontdesk/testkit/published-operations";
import { ADMIN_OPERATIONS } from "../src/http/admin-operation-schemas.ts";
import { bridge } from "./support.ts";

test("what the console may call is what the bridge publishes, to the field", async (t) => {
  const { http } = await bridge(t);
  const document = (await (await fetch(`${http}/openapi.json`)).json()) as Parameters<typeof unpublished>[0];
  assert.deepEqual(unpublished(document, ADMIN_OPERATIONS, { base: "/api/v1/admin" }), []);
});
