import assert from "node:assert/strict";
import { isFinal, type Job } from "../src/domain/job.ts";

/** Every job has ended, and nothing is told of it that is not so: `outOf` is how many of its labels came out. */
export function assertToldTruly(
  seed: number,
  jobs: Iterable<readonly [id: string, job: Pick<Job, "state" | "error" | "count">]>,
  outOf: (id: string) => number,
): void {
  for (const [id, { state, error, count }] of jobs) {
    const out = outOf(id);
    const where = `seed ${seed}, ${id}: ${state} ${error?.code ?? ""}, told ${count.printed} of ${count.asked}, out ${out}`;
    assert.ok(isFinal(state), `a job never ended: ${where}`);
    assert.ok(out <= count.asked, `a label came out twice: ${where}`);
    assert.ok(count.printed <= out, `told as printed that was not: ${where}`);
    if (state === "Done") assert.equal(out, count.asked, `done that was not: ${where}`);
    if (state === "Failed") assert.equal(out, count.printed, `failed, and yet printed: ${where}`);
  }
}
