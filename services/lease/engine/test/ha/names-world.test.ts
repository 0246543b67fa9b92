import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitions } from "@frontdesk/testkit/breadth";
import { NamesWorld } from "./names-world.ts";
import { settingOf, stepsOf } from "./steps.ts";

/** Seeds that have found something, before those that come in their order. */
const STORIES = [
  { isUnsteady: false, found: [10, 13, 27, 32, 57, 525], under: "" },
  { isUnsteady: true, found: [3, 22, 30, 46], under: ", however slow it is and whoever changes the names" },
];
const SEEDS = repetitions(5, 400);

/** Answers how many names the leases call for in the end. */
async function play(seed: number, isUnsteady: boolean): Promise<number> {
  const setting = settingOf(seed);
  if (setting.clocks !== "near") return 0;
  const world = await NamesWorld.of(setting, seed, isUnsteady);
  // What a node owes to a slow DNS server when its disk is lost stays there until somebody compares them.
  const isPlayed = (step: string) => !isUnsteady || (step !== "lose disk" && step !== "roll back");
  try {
    await world.run(stepsOf(seed, setting).filter((step) => isPlayed(step.do)));
    await world.heal();
    const { names, isEither } = world.expected();
    for (const found of [world.dns.forward(), world.dns.reverse()]) {
      const records = found.filter((record) => !isEither(record));
      assert.deepEqual(records.sort(), names.toSorted(), `seed ${seed}`);
    }
    return names.length;
  } finally {
    world.close();
  }
}

for (const { isUnsteady, found, under } of STORIES)
  test(`whatever happens to a pair, in the end DNS has the names of its leases and no others${under}`, async () => {
    const seeds = new Set([...found, ...Array.from({ length: SEEDS }, (_, n) => n + 1)]);
    let names = 0;
    for (const seed of seeds) names += await play(seed, isUnsteady);
    assert.ok(names > seeds.size, "leases have names");
  });
