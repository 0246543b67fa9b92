import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitions } from "@frontdesk/testkit/breadth";
import { NamesWorld, type Story } from "./names-world.ts";
import { settingOf, stepsOf } from "./steps.ts";

/** Seeds that have found something, before those that come in their order. */
const STORIES: ReadonlyArray<Story & { readonly found: readonly number[]; readonly under: string }> = [
  { isUnsteady: false, isShared: false, found: [10, 13, 27, 32, 57, 525], under: "" },
  {
    isUnsteady: true,
    isShared: false,
    found: [3, 22, 30, 46],
    under: ", however slow it is and whoever changes the names",
  },
  { isUnsteady: false, isShared: true, found: [91], under: ", each by one suffix where clients share them" },
  {
    isUnsteady: true,
    isShared: false,
    isFailing: true,
    found: [],
    under: ", whatever DNS answers until then",
  },
  {
    isUnsteady: true,
    isShared: true,
    isFailing: true,
    found: [],
    under: ", each by one suffix, whatever DNS answers until then",
  },
];
const SEEDS = repetitions(5, 400);

const withoutSuffix = (record: string) => record.replace(/-[2-9]\./, ".");

/** Answers how many names the leases call for in the end. */
async function play(seed: number, story: Story): Promise<number> {
  const setting = settingOf(seed);
  if (setting.clocks !== "near") return 0;
  const world = await NamesWorld.of(setting, seed, story);
  // What a node owes to a slow DNS server when its disk is lost stays there until somebody compares them.
  const isPlayed = (step: string) => !story.isUnsteady || (step !== "lose disk" && step !== "roll back");
  try {
    await world.run(stepsOf(seed, setting).filter((step) => isPlayed(step.do)));
    await world.heal();
    const { names, isEither } = world.expected();
    const isOnly = (record: string) => !isEither(withoutSuffix(record));
    const [forward, reverse] = [world.dns.forward(), world.dns.reverse()].map((found) =>
      found.filter(isOnly).sort(),
    );
    assert.deepEqual(forward?.map(withoutSuffix).sort(), names.toSorted(), `seed ${seed}`);
    assert.deepEqual(reverse, forward, `seed ${seed}`);
    return names.length;
  } finally {
    world.close();
  }
}

for (const { found, under, ...story } of STORIES)
  test(`whatever happens to a pair, in the end DNS has the names of its leases and no others${under}`, async () => {
    const seeds = new Set([...found, ...Array.from({ length: SEEDS }, (_, n) => n + 1)]);
    let names = 0;
    for (const seed of seeds) names += await play(seed, story);
    assert.ok(names > seeds.size, "leases have names");
  });
