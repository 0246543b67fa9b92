import { MUTANTS } from "./mutants.ts";
import { plant } from "./planted.ts";
import { firstFailure } from "./simulate.ts";

/** Which seed catches each mistake: `node services/lease/engine/test/ha/run-mutants.ts`. */
const words = process.argv.slice(2);
for (const mutant of MUTANTS.filter(({ mistake }) => words.every((word) => mistake.includes(word)))) {
  const failure = firstFailure(await plant(mutant), 1, 2000);
  console.log(
    `${failure ? `seed ${failure.seed}: ${failure.problem.split("\n")[0]}` : "NOT CAUGHT"} (${mutant.mistake})`,
  );
}
