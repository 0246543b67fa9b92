import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiCheck, type SeenReply } from "./openapi-check.ts";

const check = openApiCheck({
  paths: {
    "/api/v1/leases/{ip}": {
      get: {
        responses: {
          "200": {
            content: {
              "application/json": {
                schema: { type: "object", required: ["ip"], properties: { ip: { type: "string" } } },
              },
            },
          },
          "204": {},
          "4XX": {
            content: { "application/problem+json": { schema: { type: "object", required: ["code"] } } },
          },
        },
      },
    },
  },
});
const reply = (change: Partial<SeenReply>): SeenReply => ({
  method: "GET",
  path: "/api/v1/leases/10.0.0.1?x=1",
  status: 200,
  type: "application/json; charset=utf-8",
  text: '{"ip":"10.0.0.1"}',
  ...change,
});

test("a reply that the document foretells is fine, and so is what is no part of the API", () => {
  check(reply({}));
  check(reply({ status: 204, text: "" }));
  check(reply({ status: 404, type: "application/problem+json", text: '{"code":"no_lease"}' }));
  check(reply({ path: "/leases", type: "text/html", text: "<html>" }));
});

test("another status, another type, another form, and a body that is missing are told", () => {
  assert.throws(() => check(reply({ status: 500 })), /is not in the OpenAPI document/);
  assert.throws(() => check(reply({ type: "text/html" })), /came as text\/html/);
  assert.throws(() => check(reply({ text: '{"ip":7}' })), /is not what the document says/);
  assert.throws(() => check(reply({ text: "" })), /should have a body/);
  assert.throws(() => check(reply({ status: 409, type: "application/problem+json", text: "{}" })), /code/);
});
