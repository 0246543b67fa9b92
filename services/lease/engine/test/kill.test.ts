import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { repetitions } from "@frontdesk/testkit/breadth";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { LabClients } from "./lab-clients.ts";
import { LabClients6 } from "./lab-clients6.ts";
import { labEngine } from "./lab-engine.ts";
import { seededRandom } from "./mutated-packets.ts";
import { assertNothingLost, BOTH_FAMILIES } from "./survival.ts";

const KILLS = repetitions(25, 100);

test(`killed under load ${KILLS} times, the engine has every acknowledged lease of both families, and no address twice`, {
  timeout: 400_000,
}, async (t) => {
  const port6 = await freePort();
  const engine = await labEngine(temporaryHome(t), BOTH_FAMILIES, `listen6 = ["[::1]:${port6}"]`);
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  const clients6 = await LabClients6.open(port6);
  t.after(() => clients6.close());
  const random = seededRandom(2026);
  // An orderly first life leaves Node's compile cache behind, so that the next ones begin sooner.
  await engine.start();
  await engine.kill("SIGTERM");
  let next = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    engine.launch();
    while (!engine.output().includes('"serving"')) await delay(5);
    const before = [clients.acked.length, clients6.acked.length];
    let over = false;
    const load = clients.load(800, next, () => over, 300);
    const load6 = clients6.load(8, () => over);
    // Killed in the middle of acknowledging, not before the first and not at rest.
    while (clients.acked.length === before[0] || clients6.acked.length === before[1]) await delay(5);
    await delay(random() * 150);
    await engine.kill("SIGKILL");
    over = true;
    next += (await load).length;
    await load6;
    const now = Math.floor(Date.now() / 1000);
    assertNothingLost(engine.storePath, { acked: clients.acked, acked6: clients6.acked }, now);
  }
  await engine.start();
  const last = clients.acked.at(-1);
  assert.ok(last && clients.acked.length > KILLS, `${clients.acked.length} were acknowledged`);
  assert.ok(clients6.acked.length > KILLS, `${clients6.acked.length} were acknowledged by DHCPv6`);
  assert.ok(await clients.renew(last.mac, last.ip), "a lease from before can be renewed");
  await engine.kill("SIGTERM");
  assert.equal(engine.process().exitCode, 0, engine.output());
});
