import { pairingStepsOf } from "./pairing-steps.ts";
import { type Random, randomOf } from "./random.ts";
import { type Bare, otherThan, type Setting, type Step } from "./steps.ts";

/** The steps of a seed in which clients have leases without an end, of which a node that is lost has told the last. */
export function endlessStepsOf(seed: number, setting: Setting): Step[] {
  const steps = pairingStepsOf(seed, setting);
  if (setting.clocks === "steady") return steps;
  const random = randomOf(seed * 11 + 5);
  for (let stories = 1 + random.below(3); stories > 0; stories--) {
    const told = lastTold(random).map((step) => ({ ...step, r: random.below(2 ** 31) }) as Step);
    steps.splice(1 + random.below(steps.length), 0, ...told);
  }
  return steps;
}

function lastTold(random: Random): Bare[] {
  const node = random.pick(["primary", "secondary"] as const);
  const other = otherThan(node);
  const lost: Bare[] = random.chance(0.5)
    ? [{ do: "lose disk", node }]
    : [{ do: "replace", node, epoch: random.pick([0, 3]) }];
  const takeover: Bare[] = [
    { do: "crash", node },
    { do: "pass", seconds: 7 + random.below(10) },
    { do: "partner-down", node: other, isWrong: false, ago: random.below(20) },
    { do: "pass", seconds: random.below(80) },
  ];
  return [
    { do: "reach", reach: other },
    { do: "pass", seconds: 5 + random.below(20) },
    { do: "partition", isOn: true },
    { do: "reach", reach: node },
    { do: "pass", seconds: 10 + random.below(80) },
    { do: "reach", reach: random.pick(["both", other] as const) },
    ...(random.chance(0.4) ? takeover : []),
    { do: "partition", isOn: false },
    ...lost,
    { do: "pass", seconds: 60 + random.below(60) },
    { do: "reach", reach: "both" },
    { do: "pass", seconds: 60 },
  ];
}
