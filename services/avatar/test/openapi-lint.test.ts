import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiProblems } from "@frontdesk/testkit/openapi-lint";
import type { AvatarService } from "../src/avatar.ts";
import { avatarUnderTest } from "./avatar-under-test.ts";

test("both OpenAPI documents pass the rules that tools go by, and name their security", async (t) => {
  const [{ media, api }] = (await avatarUnderTest(t)).copies as readonly [AvatarService];
  for (const app of [media, api]) {
    const document = (await app.inject("/openapi.json")).json();
    assert.deepEqual(await openApiProblems(document), []);
  }
  const { paths, security } = (await api.inject("/openapi.json")).json();
  assert.deepEqual(security, [{ session: [] }]);
  assert.deepEqual(paths["/auth/verify"].post.security, []);
  assert.equal(paths["/me/avatar"].post.security, undefined, "as the document says for all");
});
