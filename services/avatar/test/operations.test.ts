import assert from "node:assert/strict";
import { test } from "node:test";
import { unpublished } from "@frontdesk/testkit/published-operations";
import { Type } from "typebox";
import type { AvatarService } from "../src/avatar.ts";
import { AvatarConfig, Email, Identity } from "../src/http/api-schemas.ts";
import { OPERATIONS } from "../src/http/operation-schemas.ts";
import { avatarUnderTest } from "./avatar-under-test.ts";

test("what the console may call is what the service publishes, to the field", async (t) => {
  const [{ api }] = (await avatarUnderTest(t)).copies as readonly [AvatarService];
  const document = (await api.inject("/openapi.json")).json();
  const shared = { AvatarConfig, Email, Identity };
  assert.deepEqual(unpublished(document, OPERATIONS, { shared }), []);
  const wrong = {
    "GET /nowhere": { reply: Type.Object({}) },
    "GET /config": { reply: Type.Object({}) },
    "POST /auth/code": { reply: OPERATIONS["POST /auth/code"].reply },
  };
  const complaints = unpublished(document, wrong, { shared }).map((words) => words.split(/:| is /)[0]);
  assert.deepEqual(complaints, ["GET /nowhere", "GET /config", "POST /auth/code"]);
});
