import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "@frontdesk/kit/log";
import { text } from "@frontdesk/kit/settings";

test("secrets are not logged: headers, fields and settings that are marked", () => {
  let output = "";
  const log = createLog({
    service: "desk",
    level: "info",
    settings: { DESK_KEY: text({ about: "A secret.", secret: true }) },
    to: { write: (line: string) => (output += line) },
  });
  log.info({ req: { headers: { cookie: "c-secret", authorization: "a-secret" } } }, "request");
  log.info(
    { password: "p-secret", session: { token: "t-secret" }, config: { DESK_KEY: "k-secret" } },
    "config",
  );
  assert.ok(!output.includes("-secret"), output);
  assert.equal(output.match(/\[hidden\]/g)?.length, 5);
});

test("the code of an error is logged; a code that was mailed is not", () => {
  let output = "";
  const log = createLog({
    service: "desk",
    level: "info",
    settings: {},
    to: { write: (line: string) => (output += line) },
  });
  log.info({ err: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) }, "failed");
  log.info({ code: "123456", body: { code: "123456" } }, "request");
  assert.match(output, /"code":"ECONNREFUSED"/);
  assert.ok(!output.includes("123456"), output);
});
