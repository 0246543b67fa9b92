import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitions } from "@frontdesk/testkit/breadth";
import type { JobStatus } from "../src/domain/job.ts";
import { bridgeProcess } from "./bridge-process.ts";
import { admitted, type Speaker, simulator, until } from "./support.ts";

/** Numbers that look random and are the same in every run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const KILLS = Number(process.env.PRINT_KILLS ?? repetitions(24, 50));
const SEED = Number(process.env.PRINT_KILLS_SEED ?? 20_261_115);
const SIZES = [100, 20_000, 500_000];

interface Sent {
  readonly name: string;
  readonly key: string;
  readonly copies: number;
  readonly data: string;
  jobId?: string;
}

test(`killed ${KILLS} times at every stage and at random bytes: no label twice, every accepted job ends, and is unknown only where nobody can tell`, async (t) => {
  const random = numbers(SEED);
  let onBytes = (_total: number) => {};
  let onConnection = () => {};
  let onLabel = () => {};
  const { printer, listener, address } = await simulator(
    t,
    { onLabel: () => onLabel() },
    {
      onBytes: (total) => onBytes(total),
      onConnection: () => onConnection(),
      faults: { chunk: 32_768, slowTurn: () => new Promise((resolve) => setImmediate(resolve)) },
    },
  );
  const b = await bridgeProcess(t);
  b.addPrinter({ id: "dock", transport: "tcp", address });
  const token = b.allow();
  const printed = (name: string) => printer.labels.filter(({ zpl }) => zpl.includes(`^FX${name};`)).length;
  const endings = { Done: 0, Failed: 0, Unknown: 0 };
  /** Of the jobs that ended unknown: how much of each had come out. */
  const unknowns = { nothing: 0, some: 0 };

  /** Where each kill falls. The first rounds walk the stages, the rest fall on random bytes. */
  const stages: Record<string, (dead: () => void) => void> = {
    "before the answer": (dead) => dead(),
    "when the printer is connected to": (dead) => {
      onConnection = dead;
    },
    "at the first byte": (dead) => {
      onBytes = dead;
    },
    "when a label is out": (dead) => {
      onLabel = dead;
    },
    "at a random byte": (dead) => {
      const at = listener.received.bytes + random(700_000);
      onBytes = (total) => total >= at && dead();
    },
    "at a random byte early": (dead) => {
      const at = listener.received.bytes + random(30_000);
      onBytes = (total) => total >= at && dead();
    },
    "after the answer": () => {},
    "after the end": () => {},
  };
  const names = Object.keys(stages);

  // A process that is killed keeps nothing of what it compiled; one that ends in order does, for all that follow.
  await b.start();
  await b.stop();
  await b.start();
  for (let round = 0; round < KILLS; round++) {
    const stage = names[round % names.length] as string;
    const page = await admitted(t, b.url, token);
    const jobs: Sent[] = Array.from({ length: 1 + random(3) }, (_, n) => {
      const name = `r${round}n${n}`;
      const filler = "x".repeat(SIZES[random(SIZES.length)] as number);
      return { name, key: name, copies: 1 + random(2), data: `^XA^FX${name};^FS^FO9,9^FD${filler}^FS^XZ` };
    });
    const died = Promise.withResolvers<void>();
    let dying = false;
    const dead = () => {
      if (dying) return;
      dying = true;
      b.kill().then(() => died.resolve(), died.reject);
    };
    const submit = (speaker: Speaker, { data, copies, key }: Sent) =>
      speaker.call("print.raw", { printer: "dock", data, copies, idempotencyKey: key });
    const answers = jobs.map((job) =>
      submit(page, job).then(({ result }) => {
        if (result) job.jobId = result.jobId as string;
      }),
    );
    stages[stage]?.(dead);
    if (stage === "after the answer") await Promise.all(answers).then(dead);
    else if (stage === "after the end") {
      await Promise.all(answers);
      for (const job of jobs) await page.ended(job.jobId as string);
      dead();
    } else {
      // A byte that never comes must not hold up the round.
      await Promise.race([
        died.promise,
        Promise.all(answers).then(async () => {
          for (const job of jobs)
            if (!dying) await Promise.race([page.ended(job.jobId as string), died.promise]);
        }),
      ]);
      dead();
    }
    await died.promise;
    onBytes = onConnection = onLabel = () => {};

    await b.start();
    const again = await admitted(t, b.url, token);
    const ended: JobStatus[] = [];
    for (const job of jobs) {
      // Whoever got no answer asks again with the same key: it is the same job, or the first of it.
      job.jobId ??= (await submit(again, job)).result?.jobId as string;
      ended.push(await again.ended(job.jobId));
    }
    for (const [n, job] of jobs.entries()) {
      const { state } = ended[n] as JobStatus;
      const count = printed(job.name);
      const where = `round ${round}, ${stage}, job ${n}: ${state}, printed ${count} of ${job.copies}`;
      assert.ok(count <= job.copies, `a label came out twice: ${where}`);
      if (state === "Done") assert.equal(count, job.copies, where);
      if (state === "Failed") assert.equal(count, 0, where);
      endings[state as keyof typeof endings]++;
      if (state === "Unknown") {
        assert.ok(count < job.copies, `the printer's counter could have told: ${where}`);
        unknowns[count === 0 ? "nothing" : "some"]++;
      }
    }
    const unknown = ended.filter(({ state }) => state === "Unknown");
    assert.ok(
      unknown.length <= 1,
      `only the job that was under way can be unknown: round ${round}, ${stage}`,
    );
    if (stage === "after the end") assert.equal(unknown.length, 0, "what was done stays done");
    page.socket.terminate();
    again.socket.terminate();
  }
  await until("the printer is idle", () => printer.situation.labelsRemaining === 0);
  t.diagnostic(`endings: ${JSON.stringify(endings)}, of the unknown came out: ${JSON.stringify(unknowns)}`);
  assert.ok(endings.Done > endings.Unknown);
});
