import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeQueue } from "../../src/ha/change-queue.ts";
import type { Row } from "../../src/ha/row.ts";
import { type Binding, STATE } from "../../src/leases/binding.ts";
import type { Batch } from "../../src/loop/batch.ts";
import { type Families, nameOf, PairLedger } from "../../src/loop/pair-ledger.ts";

const identity = Uint8Array.of(0, 1, 2);
const LEASE: Binding<number> = {
  address: 1,
  identity,
  state: STATE.bound,
  starts: 100,
  until: 900,
  port: "",
  told: 100,
  digest: 1,
  relayDigest: 0,
};
const ROW: Row = {
  address: 1,
  client: nameOf(identity),
  state: STATE.bound,
  server: "primary",
  end: 900,
  promise: 1200,
  known: 0,
  seq: 0,
  base: 0,
  details: new Uint8Array(0),
};

/** The ledger of a batch that finds a lease as it is given, and decides that its client has it. */
function ledgerOf(lease: Binding<number>): PairLedger {
  const v4 = {
    leases: {
      find: () => lease,
      pairOf: () => ({ server: "primary", client: null, promise: 0, known: 0, seq: 3, base: 0 }),
    },
    pending: () => ({ put: () => {}, find: () => LEASE }),
  };
  const families = { v4, v6: undefined } as unknown as Families;
  return new PairLedger({ now: 500 } as Batch, families, new ChangeQueue(), 3, 0);
}

test("a lease that the peer makes run again does so, too, where its client renews it here in the same batch", () => {
  const ledger = ledgerOf({ ...LEASE, state: STATE.released });
  ledger.put(ROW);
  ledger.isOwn = true;
  ledger.put({ ...ROW, seq: 4 });
  assert.equal(ledger.writes.get(1)?.keepsState, false);
});

test("a lease that runs is not looked up again, whoever renews it", () => {
  const ledger = ledgerOf(LEASE);
  ledger.put(ROW);
  assert.equal(ledger.writes.get(1)?.keepsState, true);
  ledger.isOwn = true;
  ledger.put({ ...ROW, seq: 4 });
  assert.equal(ledger.writes.get(1)?.keepsState, true);
});

test("a client was heard of when the peer renews its lease, and not when more is promised to the peer", () => {
  const renewed = ledgerOf(LEASE);
  renewed.put(ROW);
  assert.equal(renewed.writes.get(1)?.seen, 500);
  const promised = ledgerOf(LEASE);
  promised.put({ ...ROW, seq: 3 });
  assert.equal(promised.writes.get(1)?.seen, undefined);
});
