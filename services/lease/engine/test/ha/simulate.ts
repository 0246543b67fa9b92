import { parseArgs } from "node:util";
import { Violation } from "./checks.ts";
import { fewestSteps } from "./fewest-steps.ts";
import { loadRules, type Rules } from "./rules.ts";
import { type Setting, type Step, settingOf, stepsOf } from "./steps.ts";
import { World } from "./world.ts";

/** Why a run failed; undefined when everything held. */
export function problemOf(
  rules: Rules,
  setting: Setting,
  steps: readonly Step[],
  trace?: (line: string) => void,
): string | undefined {
  const world = new World(rules, setting, trace);
  try {
    for (const step of steps) world.run(step);
    world.settle();
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

export interface Failure {
  readonly seed: number;
  readonly problem: string;
}

/** The first seed that fails. */
export function firstFailure(rules: Rules, from: number, count: number): Failure | undefined {
  for (let seed = from; seed < from + count; seed++) {
    const setting = settingOf(seed);
    const problem = problemOf(rules, setting, stepsOf(seed, setting));
    if (problem !== undefined) return { seed, problem };
  }
  return undefined;
}

const kindOf = (problem: string | undefined) => problem?.split(" ")[0];

/** A failure as a person wants to see it: what to run again, and the fewest steps that still fail. */
export function explain(rules: Rules, { seed, problem }: Failure, isTraced = false): string {
  const setting = settingOf(seed);
  const kind = kindOf(problem);
  const steps = fewestSteps(
    stepsOf(seed, setting),
    (fewer) => kindOf(problemOf(rules, setting, fewer)) === kind,
  );
  const trace: string[] = [];
  if (isTraced) problemOf(rules, setting, steps, (line) => trace.push(line));
  return [
    ...trace,
    `seed ${seed}: ${problem}`,
    `again: node services/lease/engine/test/ha/simulate.ts --from ${seed} --seeds 1`,
    `setting: ${JSON.stringify(setting)}`,
    `fewest steps (${problemOf(rules, setting, steps)}):`,
    ...steps.map((step) => `  ${JSON.stringify(step)},`),
  ].join("\n");
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1000" },
      from: { type: "string", default: "1" },
      /** Tells everything that happens in the fewest steps. */
      trace: { type: "boolean", default: false },
    },
  });
  const rules = await loadRules();
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const startedAt = performance.now();
  const failure = firstFailure(rules, from, count);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (failure) {
    console.log(explain(rules, failure, values.trace));
    process.exitCode = 1;
  } else console.log(`${count} seeds from ${from} on: everything held (${seconds} s)`);
}
