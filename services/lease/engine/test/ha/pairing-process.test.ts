import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { until } from "@frontdesk/testkit/until";
import { LabClients, macOf } from "../lab-clients.ts";
import type { LabEngine } from "../lab-engine.ts";
import { control, ha, labNode, labPair, leasectl, NETWORK, untilBoth } from "./lab-pair.ts";

test("two engines are paired by the line that the primary prints", async (t) => {
  const port = await freePort();
  const [a, b] = [await labNode(t, ha(port, false)), await labNode(t, ha(port, false))];
  await Promise.all([a.start(), b.start()]);

  const first = await leasectl(a, "ha", "pair");
  assert.equal(first.code, 0, first.text);
  const line = first.text
    .match(/leasectl (ha join 127\.0\.0\.1:\d+ [\da-f-]{39})$/)?.[1]
    ?.split(" ") as string[];
  assert.ok(line, first.text);

  const wrong = await leasectl(b, "ha", "join", `127.0.0.1:${port}`, `${"0000-".repeat(7)}0000`);
  assert.deepEqual([wrong.code, /did not accept the code/.test(wrong.text)], [1, true], wrong.text);
  const elsewhere = await leasectl(b, "ha", "join", "127.0.0.3:1", line[3] as string);
  assert.match(elsewhere.text, /give both nodes the same \[ha\] settings/);

  const joined = await leasectl(b, ...line);
  assert.deepEqual([joined.code, joined.text.split(".")[0]], [0, "Paired: this node is the secondary"]);
  const again = await leasectl(b, ...line);
  assert.equal(again.code, 1, "a code is used once");

  const kept = (engine: LabEngine) =>
    JSON.parse(readFileSync(join(engine.home, "lease/engine/ha/pairing.json"), "utf8"));
  assert.equal(kept(a).role, "primary");
  assert.equal(kept(b).role, "secondary");
  const swapped = await leasectl(b, "ha", "pair");
  assert.match(swapped.text, /This node is the secondary of a pair/);
});

test("a server that is not paired is not switched on by a reload: it would serve nobody after its next start", async (t) => {
  const port = await freePort();
  const engine = await labNode(t, ha(port, false));
  await engine.start();
  writeFileSync(engine.configPath, engine.toml(ha(port, true)));
  const reload = await leasectl(engine, "reload");
  assert.equal(reload.code, 1);
  assert.match(reload.text, /this node is not paired: run leasectl ha pair\./);
  const status = await leasectl(engine, "ha", "status");
  assert.match(status.text, /not one of a pair/);
});

test("engines that are switched on before they are paired serve nobody, say so, and are a pair once they are paired", {
  timeout: 120_000,
}, async (t) => {
  const port = await freePort();
  const [a, b] = [await labNode(t, ha(port, true)), await labNode(t, ha(port, true))];
  await Promise.all([a.start(), b.start()]);
  const [atA, atB] = [await LabClients.open(a.port), await LabClients.open(b.port)];
  t.after(() => {
    for (const clients of [atA, atB]) clients.close();
  });
  for (const clients of [atA, atB]) assert.equal(await clients.join(macOf(1), 300), false);
  const status = await leasectl(a, "ha", "status");
  assert.deepEqual([status.code, /not paired and serves nobody/.test(status.text)], [1, true], status.text);
  const health = await fetch(`${a.url}/healthz`);
  assert.equal(health.status, 503);
  assert.match(await health.text(), /not paired/);
  assert.equal((await leasectl(a, "reload")).code, 0, "all else can be changed meanwhile");

  const { address, code } = await control<{ address: string; code: string }>(a, "POST", "/v1/ha/pair");
  const joined = await leasectl(b, "ha", "join", address, code);
  assert.match(joined.text, /leasectl ha status tells how the two are/);
  await untilBoth("both are in normal operation", [a, b], "normal");
  await until("the primary serves", () => atA.join(macOf(1), 300));
  await until("the secondary has the lease", async () => {
    const { items } = await control<{ items: unknown[] }>(b, "GET", "/v1/leases?state=active");
    return items.length === 1;
  });
  assert.equal((await fetch(`${a.url}/healthz`)).status, 200);
});

test("without the addresses of the two there is nothing to pair", async (t) => {
  const engine = await labNode(t, NETWORK);
  await engine.start();
  const { code, text } = await leasectl(engine, "ha", "pair");
  assert.deepEqual([code, text], [1, "Give [ha] primary and secondary in the configuration first."]);
  const unknown = await leasectl(engine, "ha", "marry");
  assert.deepEqual([unknown.code, unknown.text.includes("ha partner-down [--stopped-at")], [1, true]);
});

for (const [spare, unpair] of [
  ["with what it knows of a pair of long ago", false],
  ["whose pairing was removed", true],
] as const)
  test(`a server that serves already keeps its leases beside a machine of another pair ${spare}`, {
    timeout: 120_000,
  }, async (t) => {
    const { a, b } = await labPair(t);
    await Promise.all([a.kill("SIGKILL"), b.kill("SIGTERM")]);
    if (unpair) rmSync(join(b.home, "lease/engine/ha/pairing.json"));
    else {
      const database = new DatabaseSync(b.storePath);
      database.exec("UPDATE ha_peer SET contact_at = contact_at - 86400");
      database.close();
    }
    const port = await freePort();
    const serving = await labNode(t, ha(port, false));
    writeFileSync(b.configPath, b.toml(ha(port, true)));
    await Promise.all([serving.start(), b.start()]);
    const clients = await LabClients.open(serving.port);
    t.after(() => clients.close());
    assert.ok(await clients.join(macOf(1)));
    const { address, code } = await control<{ address: string; code: string }>(
      serving,
      "POST",
      "/v1/ha/pair",
    );
    if (!unpair) {
      // It may be what is left of its pair, and its peer may have served clients without it.
      const refused = await leasectl(b, "ha", "join", address, code);
      assert.equal(refused.code, 1, refused.text);
      assert.match(refused.text, /stop it and remove ha\/pairing\.json/);
      await b.kill("SIGTERM");
      rmSync(join(b.home, "lease/engine/ha/pairing.json"));
      await b.start();
    }
    await control(b, "POST", "/v1/ha/join", { address, code });
    await serving.kill("SIGTERM");
    writeFileSync(serving.configPath, serving.toml(ha(port, true)));
    await serving.start();
    await untilBoth("both are in normal operation", [serving, b], "normal");
    for (const each of [serving, b]) {
      const { items } = await control<{ items: Array<{ ip: string }> }>(
        each,
        "GET",
        "/v1/leases?state=active",
      );
      assert.deepEqual(
        items.map(({ ip }) => ip),
        clients.acked.map(({ ip }) => ip),
      );
    }
  });
