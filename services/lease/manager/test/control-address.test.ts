import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
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

for (const setting of ["", 'control_token = "a-secret-of-the-house-itself"\n']) {
  test(`what is told to a program that has the engine's address meanwhile opens nothing later: ${setting.trim() || "a token of its own"}`, async (t) => {
    const prepare = (home: string) => {
      const path = join(home, "engine.toml");
      writeFileSync(path, readFileSync(path, "utf8").replace("[server]\n", `[server]\n${setting}`));
    };
    const desk = await managerDesk(t, {}, { prepare });
    const admin = await desk.signedIn();
    const { url, token } = JSON.parse(readFileSync(join(desk.home, "lease/engine/control.json"), "utf8"));
    const statusWith = async (given: string) =>
      (await fetch(`${url}/v1/status`, { headers: { authorization: `Bearer ${given}` } })).status;
    assert.equal(await statusWith(token), 200);

    await admin("POST", "engine/stop");
    const heard = new Set<string | undefined>();
    const impostor = createServer((request, response) => {
      heard.add(request.headers.authorization?.slice("Bearer ".length));
      response.end("{}");
    });
    t.after(() => impostor.close());
    await once(impostor.listen(Number(new URL(url).port), "127.0.0.1"), "listening");
    await admin("GET", "leases");
    assert.equal(heard.size, 1);
    impostor.close();
    impostor.closeAllConnections();

    assert.equal((await admin("POST", "engine/start")).json.process.state, "running");
    for (const each of heard) assert.equal(await statusWith(each ?? ""), 401);
    assert.equal((await admin("GET", "leases")).status, 200);
    const lasting =
      /"(.+)"/.exec(setting)?.[1] ?? readFileSync(join(desk.home, "lease/engine/control-token"), "utf8");
    assert.equal(await statusWith(lasting.trim()), 200);
  });
}
