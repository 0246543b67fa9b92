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
