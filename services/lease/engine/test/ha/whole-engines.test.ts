import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitions } from "@frontdesk/testkit/breadth";
import { KEPT_RUNS } from "./kept-runs.ts";
import { loadRules } from "./rules.ts";
import { ENDLESS, explain, firstFailure, PAIRING, problemOf } from "./simulate.ts";

const SEEDS = repetitions(40, 500);
const PAIRING_SEEDS = repetitions(10, 200);
const ENDLESS_SEEDS = repetitions(8, 100);

for (const { name, engines, setting, steps } of KEPT_RUNS) {
  test(`a run that once failed holds: ${name}`, async () => {
    assert.equal(problemOf({ rules: await loadRules(), engines }, setting, steps), undefined);
  });
}

for (const engines of [4, 6] as const) {
  test(`whatever happens to two whole engines of DHCPv${engines}, no two clients have one address, and afterwards both agree`, async () => {
    const subject = { rules: await loadRules(), engines };
    const failure = firstFailure(subject, 1, SEEDS);
    assert.equal(failure && explain(subject, failure), undefined);
  });

  test(`so it is for DHCPv${engines} where nodes are paired anew`, async () => {
    const subject = { rules: await loadRules(), engines };
    const failure = firstFailure(subject, 1, PAIRING_SEEDS, PAIRING);
    assert.equal(failure && explain(subject, failure, false, PAIRING), undefined);
  });
}

test("so it is for DHCPv4 where clients have leases without an end", async () => {
  const subject = { rules: await loadRules(), engines: 4 } as const;
  const failure = firstFailure(subject, 1, ENDLESS_SEEDS, ENDLESS);
  assert.equal(failure && explain(subject, failure, false, ENDLESS), undefined);
});
