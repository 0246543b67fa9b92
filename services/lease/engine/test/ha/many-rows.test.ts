import assert from "node:assert/strict";
import { test } from "node:test";
import { newDurable, startCore } from "../../src/ha/core-state.ts";
import type { Ledger } from "../../src/ha/ledger.ts";
import type { Row } from "../../src/ha/row.ts";
import { STATE } from "../../src/leases/binding.ts";
import { PairBatch } from "../../src/loop/pair-batch.ts";
import type { PairLedger } from "../../src/loop/pair-ledger.ts";
import { HELLO, NOW, SETTINGS } from "./core-node.ts";
import { MemoryLedger } from "./disk.ts";

/** More than a function takes as arguments. */
const MANY = 500_000;
const PLAN = { hash: "a", pools: [], reserved: new Map() };

test("the peer acknowledges very many ended leases at once", () => {
  const row = (n: number): Row => ({
    address: n,
    client: "x",
    state: STATE.expired,
    server: "secondary",
    end: 1,
    promise: 1,
    known: 0,
    seq: n,
    base: 0,
    details: new Uint8Array(0),
  });
  const ledger: Ledger = Object.assign(new MemoryLedger(new Map()).open(), {
    changedAfter: () => Array.from({ length: MANY }, (_, n) => row(n + 1)),
  });
  const durable = { ...newDurable("second", 1800), lastSeq: MANY, epoch: 3, peerStore: "first", agreed: 3 };
  const core = startCore(SETTINGS, durable, PLAN, NOW);
  const moment = { now: NOW, engine: NOW, shift: 0 };
  const batch = new PairBatch(core, ledger as unknown as PairLedger, moment, () => false);
  batch.step({ kind: "link", id: 1, isUp: true, now: NOW });
  const hello = { ...HELLO, appliedSeq: MANY };
  batch.step({ kind: "message", link: 1, counter: 0, message: hello, now: NOW });
  assert.equal(batch.core.ackedSeq, MANY);
});
