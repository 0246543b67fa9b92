import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { repetitions } from "@frontdesk/testkit/breadth";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { LabClients } from "./lab-clients.ts";
import { labEngine } from "./lab-engine.ts";
import { seededRandom } from "./mutated-packets.ts";
import { assertNothingLost } from "./survival.ts";

const KILLS = repetitions(25, 100);
const CONFIG = `[[subnet]]\nnetwork = "10.0.0.0/8"\n[[subnet.pool]]\nrange = "10.1.0.1 - 10.2.255.255"\n`;

test(`killed under load ${KILLS} times, the engine has every acknowledged lease, and no address twice`, {
  timeout: 400_000,
}, async (t) => {
  const engine = await labEngine(temporaryHome(t), CONFIG);
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  const random = seededRandom(2026);
  // An orderly first life leaves Node's compile cache behind, so that the next ones begin sooner.
  await engine.start();
  await engine.kill("SIGTERM");
  let next = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    engine.launch();
    while (!engine.output().includes('"serving"')) await delay(5);
    const before = clients.acked.length;
    let over = false;
    const load = clients.load(800, next, () => over, 300);
    // Killed in the middle of acknowledging, not before the first and not at rest.
    while (clients.acked.length === before) await delay(5);
    await delay(random() * 150);
    await engine.kill("SIGKILL");
    over = true;
    next += (await load).length;
    assertNothingLost(engine.storePath, clients.acked, Math.floor(Date.now() / 1000));
  }
  await engine.start();
  const last = clients.acked.at(-1);
  assert.ok(last && clients.acked.length > KILLS, `${clients.acked.length} were acknowledged`);
  assert.ok(await clients.renew(last.mac, last.ip), "a lease from before can be renewed");
  await engine.kill("SIGTERM");
  assert.equal(engine.process().exitCode, 0, engine.output());
});
