import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { until } from "@frontdesk/testkit/until";
import { LabClients } from "../lab-clients.ts";
import type { LabEngine } from "../lab-engine.ts";
import { control, ha, labNode, labPair, leasectl, statusOf, untilBoth } from "./lab-pair.ts";

async function clientsOf(t: TestContext, engine: LabEngine): Promise<LabClients> {
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  return clients;
}

async function leasesOf(engine: LabEngine): Promise<string[]> {
  const { items } = await control<{ items: Array<{ ip: string; mac: string }> }>(
    engine,
    "GET",
    "/v1/leases?state=active&limit=1000",
  );
  return items.map(({ ip, mac }) => `${ip} ${mac}`).toSorted();
}

const MAC = "02:00:00:00:00:01";

test("two engines of a pair: hot standby, takeover after a kill, return", { timeout: 240_000 }, async (t) => {
  const { a, b } = await labPair(t);
  const [atA, atB] = [await clientsOf(t, a), await clientsOf(t, b)];

  await t.test("the primary answers, the secondary is silent and knows the lease", async () => {
    assert.ok(await atA.join(MAC));
    assert.equal(await atB.join("02:00:00:00:00:02", 500), false);
    await until("the secondary has the lease", async () => (await leasesOf(b)).length === 1);
    assert.deepEqual(await leasesOf(b), await leasesOf(a));
  });

  await t.test("leasectl ha status tells of both", async () => {
    const { code, text } = await leasectl(b, "ha", "status");
    assert.equal(code, 0, text);
    assert.match(text, /^state +normal since /m);
    assert.match(text, /^role +secondary, hot-standby, epoch /m);
    assert.match(text, /^peer +normal since \S+Z, serving$/m);
    const { pools, service_hash_equal } = await statusOf(b);
    assert.equal(service_hash_equal, true, "they differ in what each machine has of its own alone");
    assert.deepEqual(
      pools.map(({ subnet, own_free, peer_free }) => [subnet, own_free + peer_free]),
      [["10.77.0.0/16", 98]],
    );
  });

  await t.test("with the link up, nobody takes over", async () => {
    const { code, text } = await leasectl(b, "ha", "partner-down");
    assert.equal(code, 1);
    assert.match(text, /the peer is there/);
  });

  await t.test("after the primary is killed, the secondary serves those it knows and new ones", async () => {
    const [{ ip = "" } = {}] = atA.acked;
    await a.kill("SIGKILL");
    await until("the secondary answers", () => atB.renew(MAC, ip));
    assert.ok(await atB.join("02:00:00:00:00:03"));
    assert.equal((await statusOf(b)).state, "interrupted");
  });

  await t.test("partner-down by command", async () => {
    const { code, text } = await leasectl(b, "ha", "partner-down");
    assert.equal(code, 0, text);
    const { state, takeover, epoch } = await statusOf(b);
    assert.equal(state, "partner_down");
    assert.ok(takeover && epoch > 0);
  });

  await t.test("the primary comes back, receives what it missed, and answers again", async () => {
    await a.start();
    await untilBoth("both are in normal operation", [a, b], "normal");
    assert.deepEqual(await leasesOf(a), await leasesOf(b));
    assert.equal((await leasesOf(a)).length, 2);
    assert.ok(await atA.join("02:00:00:00:00:04"));
  });

  await t.test("maintenance hands over without a wait, and resume brings it back", async () => {
    assert.equal((await leasectl(a, "ha", "maintenance")).code, 0);
    await until("the secondary has taken over", async () => (await statusOf(b)).state === "partner_down");
    assert.ok(await atB.join("02:00:00:00:00:05"));
    assert.equal(await atA.join("02:00:00:00:00:06", 500), false);
    assert.equal((await leasectl(a, "ha", "resume")).code, 0);
    await untilBoth("both are in normal operation", [a, b], "normal");
    assert.deepEqual(await leasesOf(a), await leasesOf(b));
  });

  await t.test("metrics tell of the pair", async () => {
    const page = await (await fetch(a.metricsUrl)).text();
    assert.match(page, /^lease_ha_state\{state="normal"\} 1$/m);
    assert.match(page, /^lease_ha_link_up 1$/m);
    assert.match(page, /^lease_ha_updates_total\{direction="sent"\} [1-9]/m);
  });
});

for (const lost of ["a", "b"] as const) {
  const role = lost === "a" ? "primary" : "secondary";
  test(`a ${role} that is lost is replaced by a new machine, which receives everything`, {
    timeout: 240_000,
  }, async (t) => {
    const { a, b, port } = await labPair(t);
    const clients = await clientsOf(t, a);
    assert.ok(await clients.join(MAC));
    await until("both have the lease", async () => (await leasesOf(b)).length === 1);
    const [gone, stays] = lost === "a" ? [a, b] : [b, a];
    await gone.kill("SIGKILL");
    await until("the other is alone", async () => (await statusOf(stays)).state === "interrupted");

    const fresh = await labNode(t, ha(port, false));
    await fresh.start();
    const [primary, secondary] = lost === "a" ? [fresh, stays] : [stays, fresh];
    // The line of the first one was lost.
    await control(primary, "POST", "/v1/ha/pair");
    const invitation = await control<{ address: string; code: string }>(primary, "POST", "/v1/ha/pair");
    const { address, code } = invitation;
    await control(secondary, "POST", "/v1/ha/join", { address, code });
    await fresh.kill("SIGTERM");
    writeFileSync(fresh.configPath, fresh.toml(ha(port, true)));
    await fresh.start();
    await untilBoth("both are in normal operation", [fresh, stays], "normal");
    assert.deepEqual(await leasesOf(fresh), await leasesOf(stays));
    assert.equal((await leasesOf(fresh)).length, 1);
    assert.equal((await statusOf(fresh)).role, role);
  });
}

test("a peer that is there is not replaced", { timeout: 120_000 }, async (t) => {
  const { a } = await labPair(t);
  const { code, text } = await leasectl(a, "ha", "pair");
  assert.deepEqual(
    [code, text],
    [1, "The peer is there: stop it before another node is paired in its place."],
  );
  assert.equal((await statusOf(a)).state, "normal");
});
