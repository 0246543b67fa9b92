import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { LabClients } from "./lab-clients.ts";
import { labEngine } from "./lab-engine.ts";

const CONFIG = `[lease]\ndefault_time = 1000\n[[subnet]]\nnetwork = "10.0.0.0/8"\n[[subnet.pool]]\nrange = "10.1.0.1 - 10.2.255.255"\n`;

test("reloads in the middle of a thousand exchanges a second lose none, and a bad configuration leaves the running one", {
  timeout: 120_000,
}, async (t) => {
  const engine = await labEngine(temporaryHome(t), CONFIG, "control_open = true");
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  const reload = async (text: string) => {
    writeFileSync(engine.configPath, engine.toml(text));
    return fetch(`${engine.url}/v1/reload`, { method: "POST" });
  };
  const leaseTime = async () => {
    const response = await fetch(`${engine.url}/v1/explain`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ mac: "02:00:00:00:00:01" }),
    });
    return ((await response.json()) as { reply: { lease_time: number } }).reply.lease_time;
  };

  let over = false;
  // Not more at once than the buffers of a socket hold: on a busy machine the kernel would lose them.
  const load = clients.load(1000, 0, () => over, 20_000, 100);
  for (let n = 1; n <= 20; n++) {
    await delay(150);
    assert.equal((await reload(CONFIG.replace("1000", String(1000 + n)))).status, 200);
    assert.equal(await leaseTime(), 1000 + n);
    const refused = await reload(CONFIG.replace("default_time = 1000", "default_time = 0"));
    assert.equal(refused.status, 422);
    assert.deepEqual(await refused.json(), {
      error: "bad_config",
      problems: [
        { line: 7, column: 16, message: "default_time must be a whole number from 1 to 4294967295." },
      ],
    });
    assert.equal(await leaseTime(), 1000 + n, "the running configuration stays");
  }
  over = true;
  const outcomes = await load;
  assert.ok(outcomes.length > 1000, `${outcomes.length} exchanges`);
  assert.equal(outcomes.filter((ended) => !ended).length, 0, "exchanges lost");
});
