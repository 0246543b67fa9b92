import assert from "node:assert/strict";
import { test } from "node:test";
import { HaStatus as Shown } from "@frontdesk/lease-control-api/ha";
import { Registry } from "prom-client";
import { Value } from "typebox/value";
import { addHaMetrics } from "../../src/control/ha-metrics.ts";
import { haView } from "../../src/control/ha-view.ts";
import { createHaWarnings } from "../../src/control/ha-warnings.ts";
import type { HaStatus } from "../../src/ha/status.ts";
import { NORMAL } from "./status.ts";

async function metrics(status: HaStatus | "off"): Promise<string[]> {
  const registry = new Registry();
  let asked = 0;
  addHaMetrics(registry, async () => {
    asked++;
    return status;
  });
  await registry.metrics();
  const page = await registry.metrics();
  assert.equal(asked, 2, "a page asks once");
  return page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

test("the metrics of the pair are these lines", async () => {
  assert.deepEqual(await metrics(NORMAL), [
    'lease_ha_state{state="normal"} 1',
    "lease_ha_link_up 1",
    "lease_ha_unacked_updates 2",
    'lease_ha_updates_total{direction="sent"} 100',
    'lease_ha_updates_total{direction="received"} 7',
    'lease_ha_free{subnet="10.77.0.0/16",pool="10.77.1.1-10.77.1.99",owner="self"} 40',
    'lease_ha_free{subnet="10.77.0.0/16",pool="10.77.1.1-10.77.1.99",owner="peer"} 41',
    'lease_ha_awaiting{subnet="10.77.0.0/16",pool="10.77.1.1-10.77.1.99"} 3',
    "lease_ha_clock_difference_seconds 0.12",
    "lease_ha_plan_agreed 1",
    "lease_ha_shortened_total 5",
    "lease_ha_conflicts_total 0",
    "lease_ha_resync_seconds 0.25",
    "lease_ha_alone_seconds 0",
  ]);
});

test("the control API shows times as people write them, and why there is no connection while there is none", () => {
  const shown = haView(NORMAL, "an old problem");
  assert.ok(Value.Check(Shown, shown), JSON.stringify([...Value.Errors(Shown, shown)]));
  assert.deepEqual(shown.link, { state: "up", problem: null });
  assert.equal(shown.peer.last_contact, "2027-01-15T08:01:40.000Z");
  const down: HaStatus = {
    ...NORMAL,
    state: "partner_down",
    link: "down",
    peer: { state: null, since: null, serving: null, lastContact: null },
    oldestUnackedSeconds: null,
    lastResync: null,
    takeover: { at: 1_800_000_000, usableFrom: 1_800_001_810 },
  };
  const alone = haView(down, "it does not answer");
  assert.ok(Value.Check(Shown, alone), JSON.stringify([...Value.Errors(Shown, alone)]));
  assert.deepEqual(alone.link, { state: "down", problem: "it does not answer" });
  assert.deepEqual(alone.takeover, {
    at: "2027-01-15T08:00:00.000Z",
    usable_from: "2027-01-15T08:30:10.000Z",
  });
});

/** What is warned of, by the minute. */
function watched() {
  let minute = 0;
  const told: string[] = [];
  const tell = createHaWarnings({
    warn: (details, message) => told.push(`${message.split(":")[0]} ${JSON.stringify(details)}`),
    now: () => minute * 60_000,
  });
  return (at: number, status: Partial<HaStatus>) => {
    minute = at;
    tell({ ...NORMAL, ...status }, 10, "it does not answer");
    return told.splice(0);
  };
}

test("a pair that works is no reason to warn; one that is alone is told at once and every hour", () => {
  const at = watched();
  const alone = { state: "interrupted", link: "down", reason: "silence", aloneSeconds: 60 } as const;
  assert.deepEqual(at(0, {}), []);
  assert.deepEqual(at(1, alone), [
    'no contact to the peer {"state":"interrupted","reason":"silence","seconds":60,"link":"it does not answer"}',
  ]);
  assert.deepEqual(at(2, alone), []);
  assert.equal(at(61, alone).length, 1);
  assert.deepEqual(at(62, {}), []);
  assert.equal(at(63, alone).length, 1, "it is another time");
  assert.deepEqual(at(64, { ...alone, state: "partner_down" }), [], "somebody knows");
});

test("nodes that refuse each other are told by the setting, not as a peer that is away", () => {
  const at = watched();
  const refusal = { because: "lead", here: "1800", there: "600", at: 0 } as const;
  assert.deepEqual(at(0, { state: "interrupted", link: "down", refusal }), [
    'the two nodes refuse each other {"setting":"lead","here":"1800","there":"600"}',
  ]);
  assert.equal(at(1, { state: "interrupted", link: "down" }).length, 1, "the peer is gone");
});

test("few free addresses, clocks that differ, plans that differ and conflicts are told", () => {
  const at = watched();
  const pools = [{ subnet: "s", pool: "p", ownFree: 7, peerFree: 90, awaiting: 0 }];
  assert.deepEqual(at(0, { pools }), [], "the peer lends more");
  const told = at(1, {
    pools,
    state: "interrupted",
    link: "down",
    clockDifferenceMs: -10_001,
    plan: { agreed: false, frozen: true },
    conflicts: 2,
  });
  assert.deepEqual(
    told.slice(1).map((line) => line.replace(/ \{.*/, "")),
    [
      "few addresses are left for new clients while the peer is away",
      "the clocks of the two nodes differ by more than max_clock_skew",
      "pools or reservations of the two nodes differ",
      "two clients were given one address after a takeover",
    ],
  );
  assert.equal(at(2, { conflicts: 3 }).length, 1, "another conflict is told at once");
});
