import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiProblems } from "@frontdesk/testkit/openapi-lint";
import { MANAGER_OPERATIONS } from "../src/http/operation-schemas.ts";
import { ROLE_TABLE } from "../src/http/role-table.ts";
import { managerDesk } from "./manager-desk.ts";

test("the OpenAPI document is right, and has every route", async (t) => {
  const desk = await managerDesk(t);
  const document = (await desk.call("GET", "/openapi.json")).json;
  assert.deepEqual(await openApiProblems(document), []);
  const documented = Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  );
  const expected = Object.keys(ROLE_TABLE).filter((route) => !route.endsWith("/healthz"));
  assert.deepEqual(documented.filter((route) => route.includes("/api/")).toSorted(), expected.toSorted());
  for (const operation of Object.keys(MANAGER_OPERATIONS)) {
    const [method, path = ""] = operation.split(" ");
    assert.ok(documented.includes(`${method} /api/v1${path.replace(/\{(\w+)\}/g, ":$1")}`), operation);
  }
});
