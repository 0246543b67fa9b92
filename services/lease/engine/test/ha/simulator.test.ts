import assert from "node:assert/strict";
import { test } from "node:test";
import { HA_STATES } from "@frontdesk/lease-control-api/ha-states";
import { repetitions } from "@frontdesk/testkit/breadth";
import { fewestSteps } from "./fewest-steps.ts";
import { MUTANTS } from "./mutants.ts";
import { plant } from "./planted.ts";
import { loadRules } from "./rules.ts";
import { ENDLESS, explain, firstFailure, PAIRING, problemOf } from "./simulate.ts";
import { settingOf, stepsOf } from "./steps.ts";

const SEEDS = repetitions(2_000, 10_000);
const PAIRING_SEEDS = repetitions(300, 1_000);
const ENDLESS_SEEDS = repetitions(150, 1_000);
const MAX_SEEDS_OF_MUTANT = 2_000;
const SEEDS_SEEN = 150;

test("whatever happens to the two nodes, no two clients have one address, and afterwards both agree", async () => {
  const subject = { rules: await loadRules() };
  const failure = firstFailure(subject, 1, SEEDS);
  assert.equal(failure && explain(subject, failure), undefined);
});

test("so it is where nodes leave the pair, are replaced and paired anew, and disks of before come back", async () => {
  const subject = { rules: await loadRules() };
  const failure = firstFailure(subject, 1, PAIRING_SEEDS, PAIRING);
  assert.equal(failure && explain(subject, failure, false, PAIRING), undefined);
});

test("so it is where clients have leases without an end", async () => {
  const subject = { rules: await loadRules() };
  const failure = firstFailure(subject, 1, ENDLESS_SEEDS, ENDLESS);
  assert.equal(failure && explain(subject, failure, false, ENDLESS), undefined);
});

test("the seeds bring the nodes into every state and make them send every kind of message", async () => {
  const rules = await loadRules();
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS_SEEN; seed++) {
    const setting = settingOf(seed);
    problemOf({ rules }, setting, stepsOf(seed, setting), (line) => {
      const [, state, type] = /\((\w+) \d+\) sends \{"type":"(\w+)"/.exec(line) ?? [];
      if (state && type) seen.add(state).add(type);
    });
  }
  const types = ["hello", "refuse", "update", "ack", "want", "page", "page_end", "handover"];
  assert.deepEqual(
    [...HA_STATES, ...types].filter((each) => !seen.has(each)),
    [],
  );
});

for (const mutant of MUTANTS) {
  test(`the simulator notices when ${mutant.mistake}`, async () => {
    const rules = await plant(mutant);
    const failure =
      firstFailure({ rules }, mutant.seed, 1) ?? firstFailure({ rules }, 1, MAX_SEEDS_OF_MUTANT);
    assert.ok(failure, "no seed failed");
  });
}

test("a failure is cut to the fewest steps that still fail", () => {
  const steps = Array.from({ length: 50 }, (_, i) => i);
  const fewest = fewestSteps(steps, (fewer) => [7, 23, 24].every((step) => fewer.includes(step)));
  assert.deepEqual(fewest, [7, 23, 24]);
});
