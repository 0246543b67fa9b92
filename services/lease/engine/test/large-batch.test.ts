import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { EMPTY_RECORD6 } from "../src/dhcp6/lease-details.ts";
import { STATE } from "../src/leases/binding.ts";
import type { Lease6Record } from "../src/leases/lease6-record.ts";
import { Batch6 } from "../src/loop/batch6.ts";
import { desk6, ip6, na, packetOf6, TOML6 } from "./desk6.ts";
import { growth, MAX_GROWTH } from "./growth.ts";

const IAS = 16;
const duidOf = (n: number) => `00:03:00:01:02:00:00:00:00:${n.toString(16).padStart(2, "0")}`;

test("RENEWs of many IAs that come together: each costs what it does alone", () => {
  const cost = growth(256, (packets) => {
    const desk = desk6(TOML6);
    const held = Array.from({ length: packets }, (_, n) => {
      const ias = Array.from({ length: IAS }, (_, i) => na(i + 1));
      const offered = desk.solicit({ duid: duidOf(n), ias })?.ias ?? [];
      return desk.request({ duid: duidOf(n), ias: offered })?.ias ?? [];
    });
    let said = 0;
    return () => {
      // What a client says of itself is new, so that its leases are written whole.
      const options = [{ code: CODE6.vendorClass, value: Uint8Array.of(0, 0, 0, 9, 0, 1, 65 + said++) }];
      desk.engine.handle(
        held.map((ias, n) => ({
          family: 6,
          ingress: desk.ingress,
          bytes: packetOf6(TYPE6.renew, { duid: duidOf(n), ias, options }),
        })),
      );
      assert.equal(desk.taken().length, packets);
    };
  });
  assert.ok(cost < MAX_GROWTH, `${cost}`);
});

test("a lease in a batch is what all writes up to now make of it, also when some are taken back", () => {
  const kept: Lease6Record = { ...EMPTY_RECORD6, address: ip6("fd77::1"), state: STATE.bound, until: 10 };
  const leases = { savepoint: 0, rollBackTo: () => {} } as unknown as Batch6["leases"];
  const batch = new Batch6(leases, {
    find6: (address) => (address === kept.address ? { ...kept, seq: 1 } : undefined),
  });
  const { address } = kept;
  const renew = (until: number) => batch.write({ kind: "renew", address, until, preferred: 5, seen: 3 });
  assert.equal(batch.find(address)?.until, 10);
  renew(20);
  const { savepoint } = batch;
  renew(30);
  assert.deepEqual([batch.find(address)?.until, batch.find(address)?.renewals], [30, 2]);
  batch.write({ kind: "remove", address });
  assert.equal(batch.find(address), undefined);
  renew(40);
  assert.equal(batch.find(address), undefined);
  batch.write({ kind: "put", lease: { ...kept, until: 50 } });
  batch.write({ kind: "mark", address, state: STATE.expired, until: 60, told: 0 });
  assert.deepEqual([batch.find(address)?.until, batch.find(address)?.state], [60, STATE.expired]);
  batch.rollBackTo(savepoint);
  assert.deepEqual([batch.find(address)?.until, batch.find(address)?.renewals], [20, 1]);
  assert.equal(batch.find(ip6("fd77::2")), undefined);
});
