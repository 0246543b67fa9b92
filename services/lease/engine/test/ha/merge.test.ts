import assert from "node:assert/strict";
import { test } from "node:test";
import { merge } from "../../src/ha/merge.ts";
import type { Row } from "../../src/ha/row.ts";
import { STATE } from "../../src/leases/binding.ts";

const NOW = 1000;
const row = (client: string, change: Partial<Row> = {}): Row => ({
  address: 1,
  client,
  state: STATE.bound,
  server: "primary",
  end: 2000,
  promise: 2500,
  known: 0,
  seq: 1,
  base: 0,
  details: new Uint8Array(0),
  ...change,
});
const merged = (
  primary: Row,
  secondary: Row,
  holder: "primary" | "secondary" = "primary",
  reserved?: string,
) => merge({ primary, secondary }, { now: NOW, holder, reserved });

test("a lease that one node renewed goes on although the other ended it", () => {
  for (const state of [STATE.released, STATE.expired]) {
    const { winner, row: kept } = merged(row("a", { state, end: 900 }), row("a", { end: 1500 }));
    assert.equal(winner, "secondary");
    assert.deepEqual([kept.state, kept.end], [STATE.bound, 1500]);
  }
});

test("of two renewals of one client the later times are kept", () => {
  const { row: kept, isConflict } = merged(
    row("a", { end: 1500, promise: 1900 }),
    row("a", { end: 1400, promise: 2600 }),
  );
  assert.deepEqual([kept.end, kept.promise, isConflict], [1500, 2600, false]);
});

test("an address that was declined stays in quarantine while another client may still use it", () => {
  const declined = row("", { state: STATE.declined, end: 1100 });
  const { row: kept } = merged(declined, row("a", { end: 1300 }));
  assert.deepEqual([kept.state, kept.end], [STATE.declined, 1300]);
});

test("where two clients have one address, the reserved one wins, else that of the holder", () => {
  assert.equal(merged(row("a"), row("b"), "secondary").winner, "secondary");
  assert.equal(merged(row("a"), row("b"), "secondary", "a").winner, "primary");
  assert.equal(merged(row("a"), row("b"), "primary", "b").winner, "secondary");
  assert.ok(merged(row("a"), row("b")).isConflict);
});

test("after a conflict nobody else gets the address while the loser may use it", () => {
  const { row: kept } = merged(row("a", { end: 1100 }), row("b", { end: 1700 }));
  assert.deepEqual([kept.client, kept.end], ["a", 1700]);
});

test("a lease whose time is over is no conflict with the one that came after it", () => {
  const {
    winner,
    isConflict,
    row: kept,
  } = merged(row("a", { end: 900 }), row("b", { end: 1700 }), "primary");
  assert.deepEqual([winner, isConflict, kept.client, kept.end], ["secondary", false, "b", 1700]);
});
