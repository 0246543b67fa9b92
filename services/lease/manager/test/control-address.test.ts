import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { until } from "@frontdesk/testkit/until";
import { managerDesk } from "./manager-desk.ts";

test("a manager that is started anew finds the engine where it is, whatever waits for its restart", async (t) => {
  const desk = await managerDesk(t);
  let admin = await desk.signedIn();
  const port = await freePort();
  const wanted = {
    control_listen: (text: string) =>
      text.replace(/control_listen = .*/, `control_listen = "127.0.0.1:${port}"`),
    control_token: (text: string) =>
      text.replace("[server]\n", '[server]\ncontrol_token = "a-secret-of-the-house-itself"\n'),
  };
  for (const [setting, change] of Object.entries(wanted)) {
    const { text, headers } = await admin("GET", "config");
    const body = change(text);
    assert.notEqual(body, text);
    const written = await admin("PUT", "config", { body, headers: { "if-match": String(headers.etag) } });
    assert.deepEqual(written.json.restart, [setting]);
    await desk.kill();
    await desk.start();
    admin = await desk.signedIn();
    const { status, text: leases } = await admin("GET", "leases");
    assert.equal(status, 200, leases);
    assert.equal((await admin("POST", "engine/restart")).json.process.state, "running");
    await until("it is found where it is now", async () => (await admin("GET", "leases")).status === 200);
    assert.deepEqual((await admin("GET", "config/full")).json.restart, []);
  }
  assert.equal(statSync(join(desk.home, "lease/engine/control.json")).mode & 0o777, 0o600);
});
