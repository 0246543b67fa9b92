import assert from "node:assert/strict";
import { test } from "node:test";
import { step } from "../../src/ha/core.ts";
import { type Durable, newDurable, startCore } from "../../src/ha/core-state.ts";
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

const endedRow = (n: number): Row => ({
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

test("the peer acknowledges very many ended leases at once", () => {
  const ledger: Ledger = Object.assign(new MemoryLedger(new Map()).open(), {
    changedAfter: () => Array.from({ length: MANY }, (_, n) => endedRow(n + 1)),
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

test("where the peer took over while it was sent everything, very many rows get their new numbers in portions", () => {
  const [count, eraSeq] = [20_000, 20_000];
  const ledger = new MemoryLedger(
    new Map(Array.from({ length: count }, (_, n) => [n + 1, { ...endedRow(n + 1), known: null }])),
  );
  const durable: Durable = {
    ...newDurable("second", 1800),
    peerStore: "first",
    state: "partner_down",
    takeover: { at: NOW - 100, clean: false },
    lastSeq: count,
    eraSeq,
    epoch: 4,
    agreed: 3,
  };
  let core = startCore(SETTINGS, durable, PLAN, NOW);
  const portions: number[] = [];
  for (let link = 1; core.durable.eraSeq !== null; link++) {
    assert.equal(core.state, "partner_down");
    for (const input of [
      { kind: "link", id: link, isUp: true, now: NOW },
      { kind: "message", link, counter: 0, message: { ...HELLO, epoch: 5 }, now: NOW },
    ] as const) {
      const pending = ledger.open();
      const outcome = step(core, pending, input);
      pending.apply();
      core = outcome.core;
      if (input.kind === "message") portions.push(outcome.writes.rows.length);
      if (input.kind === "message") assert.equal(outcome.closes, core.durable.eraSeq !== null);
    }
  }
  assert.ok(Math.max(...portions) < 17_000, String(portions));
  assert.equal(core.state, "recover");
  const rows = [...ledger.rows.values()];
  assert.equal(new Set(rows.map(({ seq }) => seq)).size, count);
  assert.ok(rows.every(({ seq, known }) => seq > eraSeq && known === 0));
  assert.equal(core.durable.lastSeq, 2 * count);
});
