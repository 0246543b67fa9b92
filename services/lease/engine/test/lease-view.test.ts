import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseView } from "../src/control/lease-view.ts";
import { EMPTY_RECORD } from "../src/dhcp4/lease-details.ts";
import { leaseVersion } from "../src/lease-version.ts";
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

test("the version of a lease is of its device and what is said of that, not of how the device calls itself", () => {
  const [mac, other, none] = [
    Uint8Array.of(2, 0, 0, 0, 0, 1),
    Uint8Array.of(2, 0, 0, 0, 0, 2),
    new Uint8Array(),
  ];
  const said = { note: "door", dnsName: null };
  const version = leaseVersion({ mac, clientId: null }, said);
  assert.equal(
    leaseVersion({ mac, clientId: Uint8Array.of(1, 7) }, said),
    version,
    "one device with two leases",
  );
  assert.notEqual(leaseVersion({ mac: other, clientId: null }, said), version);
  assert.notEqual(leaseVersion({ mac, clientId: null }, undefined), version);
  const [one, two] = [3, 4].map((last) =>
    leaseVersion({ mac: none, duid: Uint8Array.of(0, last) }, undefined),
  );
  assert.notEqual(one, two, "known by a DUID alone");
});
