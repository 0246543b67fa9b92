import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseView } from "../src/control/lease-view.ts";
import { EMPTY_RECORD } from "../src/dhcp4/lease-details.ts";
import { FOREVER, STATE } from "../src/leases/binding.ts";
import { configOf } from "./desk.ts";

test("a lease is shown as active until its client's time is over, which may have begun at the end of a second", () => {
  const config = configOf(`[[subnet]]\nnetwork = "10.77.0.0/16"\n`);
  const unnoted = { note: null, dnsName: null, ddns: null };
  const shown = (until: number, now: number, offset = 0) =>
    leaseView({ ...EMPTY_RECORD, ...unnoted, state: STATE.bound, until }, config, { now, offset }).state;
  assert.deepEqual([shown(900, 900_998), shown(900, 900_999)], ["active", "expired"]);
  assert.deepEqual([shown(900, 800_998, 100_000), shown(900, 800_999, 100_000)], ["active", "expired"]);
  assert.equal(shown(FOREVER, 900_000), "active");
});
