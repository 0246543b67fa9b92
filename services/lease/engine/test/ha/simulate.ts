import { parseArgs } from "node:util";
import { Violation } from "./checks.ts";
import { endlessStepsOf } from "./endless-steps.ts";
import { Engines } from "./engine-node.ts";
import { fewestSteps } from "./fewest-steps.ts";
import { pairingStepsOf } from "./pairing-steps.ts";
import { loadRules, type Rules } from "./rules.ts";
import { type Setting, type Step, settingOf, stepsOf } from "./steps.ts";
import { World } from "./world.ts";

/** What goes through the steps: the rules alone, or whole engines. */
export interface Subject {
  readonly rules: Rules;
  /** Whole engines, whose clients speak DHCPv4 or DHCPv6. */
  readonly engines?: 4 | 6 | undefined;
  /** Where the engines come from that have a mistake planted in them. */
  readonly room?: { readonly Engines: typeof Engines } | undefined;
}

/** Why a run failed; undefined when everything held. */
export function problemOf(
  { rules, engines: family, room }: Subject,
  setting: Setting,
  steps: readonly Step[],
  trace?: (line: string) => void,
): string | undefined {
  const engines = family && new (room?.Engines ?? Engines)(family);
  const world = new World(rules, setting, { trace, engines });
  try {
    for (const step of steps) world.run(step);
    world.settle();
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  } finally {
    engines?.close();
  }
}

export interface Failure {
  readonly seed: number;
  readonly problem: string;
}

/** What a seed stands for. */
export interface Course {
  /** How it is told to the command line. */
  readonly flag: string;
  settingOf(seed: number): Setting;
  stepsOf(seed: number, setting: Setting): Step[];
}

const PLAIN: Course = { flag: "", settingOf, stepsOf };
/** Nodes also leave the pair, and are paired anew. */
export const PAIRING: Course = { flag: " --pairing", settingOf, stepsOf: pairingStepsOf };
/** Of leases without an end, whose clients never ask again. */
export const ENDLESS: Course = {
  flag: " --endless",
  settingOf: (seed) => ({ ...settingOf(seed), hasEndless: true }),
  stepsOf: endlessStepsOf,
};

/** The first seed that fails. */
export function firstFailure(
  subject: Subject,
  from: number,
  count: number,
  course: Course = PLAIN,
): Failure | undefined {
  for (let seed = from; seed < from + count; seed++) {
    const setting = course.settingOf(seed);
    const problem = problemOf(subject, setting, course.stepsOf(seed, setting));
    if (problem !== undefined) return { seed, problem };
  }
  return undefined;
}

const kindOf = (problem: string | undefined) => problem?.split(" ")[0];

/** A failure as a person wants to see it: what to run again, and the fewest steps that still fail. */
export function explain(
  subject: Subject,
  { seed, problem }: Failure,
  isTraced = false,
  course: Course = PLAIN,
): string {
  const setting = course.settingOf(seed);
  const kind = kindOf(problem);
  const steps = fewestSteps(
    course.stepsOf(seed, setting),
    (fewer) => kindOf(problemOf(subject, setting, fewer)) === kind,
  );
  const trace: string[] = [];
  if (isTraced) problemOf(subject, setting, steps, (line) => trace.push(line));
  return [
    ...trace,
    `seed ${seed}: ${problem}`,
    `again: node services/lease/engine/test/ha/simulate.ts --from ${seed} --seeds 1${subject.engines ? ` --engines ${subject.engines}` : ""}${course.flag}`,
    `setting: ${JSON.stringify(setting)}`,
    `fewest steps (${problemOf(subject, setting, steps)}):`,
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
      /** Whole engines instead of the rules alone: 4 or 6. */
      engines: { type: "string" },
      /** Nodes also leave the pair, and are paired anew. */
      pairing: { type: "boolean", default: false },
      /** Some clients ask for leases without an end. */
      endless: { type: "boolean", default: false },
    },
  });
  const subject = {
    rules: await loadRules(),
    engines: values.engines === "6" ? 6 : values.engines ? 4 : undefined,
  } as const;
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const course = values.endless ? ENDLESS : values.pairing ? PAIRING : PLAIN;
  const startedAt = performance.now();
  const failure = firstFailure(subject, from, count, course);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (failure) {
    console.log(explain(subject, failure, values.trace, course));
    process.exitCode = 1;
  } else console.log(`${count} seeds from ${from} on: everything held (${seconds} s)`);
}
