import { ENGINE_MUTANTS, MUTANTS, type Mutant } from "./mutants.ts";
import { plant, plantInEngines } from "./planted.ts";
import { loadRules } from "./rules.ts";
import { type Failure, firstFailure } from "./simulate.ts";

/**
 * Which seed catches each mistake: `node services/lease/engine/test/ha/run-mutants.ts`, with `--engines` those in whole
 * engines. Further words choose those whose description has them.
 */
const words = process.argv.slice(2).filter((word) => word !== "--engines");
const isChosen = ({ mistake }: Mutant) => words.every((word) => mistake.includes(word));
const tell = ({ mistake }: Mutant, failure: Failure | undefined) =>
  console.log(
    `${failure ? `seed ${failure.seed}: ${failure.problem.split("\n")[0]}` : "NOT CAUGHT"} (${mistake})`,
  );

if (process.argv.includes("--engines")) {
  const rules = await loadRules();
  for (const mutant of ENGINE_MUTANTS.filter(isChosen)) {
    const room = await plantInEngines(mutant);
    const subject = { rules, engines: mutant.engines, room };
    tell(mutant, firstFailure(subject, mutant.seed, 1) ?? firstFailure(subject, 1, 300));
  }
} else {
  for (const mutant of MUTANTS.filter(isChosen)) {
    tell(mutant, firstFailure({ rules: await plant(mutant) }, 1, 2000));
  }
}
