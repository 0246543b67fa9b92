import { type Random, randomOf } from "./random.ts";
import { type Bare, otherThan, type Setting, type Step, stepsOf } from "./steps.ts";

/** The steps of a seed in which nodes also leave the pair and are paired anew. Whoever does that has clocks that are right. */
export function pairingStepsOf(seed: number, setting: Setting): Step[] {
  const steps = stepsOf(seed, setting);
  if (setting.clocks !== "near") return steps;
  const random = randomOf(seed * 7 + 3);
  for (let stories = 2 + random.below(4); stories > 0; stories--) {
    const story = random.pick(STORIES)(random);
    steps.splice(1 + random.below(steps.length), 0, ...story.map((step) => withChance(step, random)));
  }
  return steps;
}

const withChance = (step: Bare, random: Random) => ({ ...step, r: random.below(2 ** 31) }) as Step;
const roleOf = (random: Random) => random.pick(["primary", "secondary"] as const);
/** A new machine, or one that was in another pair. */
const epochOf = (random: Random) => random.pick([0, 0, 1, 3, 40]);
const passing = (random: Random): Bare => ({ do: "pass", seconds: 5 + random.below(60) });

/** One machine takes the place of another; the one that was there may come back. */
function replaced(random: Random): Bare[] {
  const node = roleOf(random);
  return [
    { do: "remember disk", node },
    { do: "replace", node, epoch: epochOf(random) },
    passing(random),
    ...(random.chance(0.4) ? [{ do: "roll back", node } as const] : []),
  ];
}

/** What is replaced had served alone before, as the other did. */
function replacedAfterCut(random: Random): Bare[] {
  const node = roleOf(random);
  return [
    { do: "partition", isOn: true },
    { do: "reach", reach: random.pick(["both", node] as const) },
    ...(random.chance(0.3) ? [{ do: "silence", seconds: 90 } as const] : []),
    { do: "pass", seconds: 20 + random.below(140) },
    { do: "reach", reach: "both" },
    { do: "crash", node },
    ...(random.chance(0.5) ? takenOver(random, node) : []),
    { do: "partition", isOn: false },
    { do: "replace", node, epoch: epochOf(random) },
    passing(random),
  ];
}

/** The one that stays was started anew while the other served alone. */
function replacedAfterRestart(random: Random): Bare[] {
  const node = roleOf(random);
  const other = otherThan(node);
  return [
    { do: "partition", isOn: true },
    { do: "pass", seconds: 20 + random.below(100) },
    { do: "reach", reach: node },
    { do: random.pick(["crash", "reboot"] as const), node: other },
    { do: "pass", seconds: random.below(40) },
    { do: "start", node: other },
    { do: "pass", seconds: random.below(60) },
    { do: "silence", seconds: 60 },
    { do: "reach", reach: "both" },
    { do: "crash", node },
    { do: "partition", isOn: false },
    { do: "replace", node, epoch: epochOf(random) },
    passing(random),
  ];
}

/** The other one is alone for long, and its leases end. */
function replacedLate(random: Random): Bare[] {
  const node = roleOf(random);
  return [
    { do: "silence", seconds: 100 },
    { do: "crash", node },
    ...takenOver(random, node),
    { do: "pass", seconds: random.below(60) },
    { do: "replace", node, epoch: epochOf(random) },
    passing(random),
  ];
}

const takenOver = (random: Random, node: "primary" | "secondary"): Bare[] => [
  { do: "pass", seconds: random.below(20) },
  { do: "partner-down", node: otherThan(node), isWrong: false, ago: random.below(60) },
  { do: "pass", seconds: random.below(80) },
];

/** Both run without each other for a moment; a disk of one from before that may come back. */
function bothLeaving(random: Random): Bare[] {
  const node = roleOf(random);
  return [
    { do: "pass", seconds: 20 },
    { do: "remember disk", node },
    { do: "pass", seconds: random.below(20) },
    { do: "leave", node: "both" },
    passing(random),
    ...(random.chance(0.6) ? [{ do: "roll back", node } as const, passing(random)] : []),
  ];
}

const leaving = (random: Random): Bare[] => [{ do: "leave", node: roleOf(random) }, passing(random)];

const STORIES = [
  replaced,
  replacedAfterCut,
  replacedAfterCut,
  replacedAfterRestart,
  replacedLate,
  bothLeaving,
  leaving,
];
