import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../src/domain/job.ts";
import { isFinal } from "../src/domain/job.ts";
import { advance, type JobEvent, type JobPhase, phaseOf, TRANSITIONS } from "../src/domain/job-machine.ts";
import { createWorld } from "./model-world.ts";

const SEEDS = Number(process.env.PRINT_MODEL_SEEDS ?? 150);
const STEPS = 60;

/** One life of the bridge among faults, and what must be true at its end. */
async function live(seed: number): Promise<void> {
  const world = createWorld(seed);
  try {
    await goThrough(world, seed);
  } finally {
    world.end();
  }
}

async function goThrough(world: ReturnType<typeof createWorld>, seed: number): Promise<void> {
  const { random, chance, faults } = world;
  for (let step = 0; step < STEPS; step++) {
    const what = random(12);
    if (what < 4) world.submit(1 + random(4));
    else if (what === 4) faults.away = chance(40);
    else if (what === 5) faults.stopped = chance(40);
    else if (what === 6) faults.silent = chance(40);
    else if (what === 7) faults.diskFull = chance(40);
    else if (what === 8) world.stepClock();
    else if (what === 9) world.kill();
    else if (what === 10 && chance(50)) {
      faults.away = faults.stopped = faults.silent = faults.diskFull = false;
      await world.stop();
    }
    for (let turns = random(12); turns > 0; turns--) await world.turn();
  }
  await world.heal();
  for (const [id, job] of world.disk) {
    const { printed, transmissions, killedInMark } = world.factOf(id);
    const { asked } = job.count;
    const where = `seed ${seed}, ${id}: ${job.state} ${job.error?.code ?? ""}, ${printed} of ${asked} printed, sent ${transmissions} times`;
    assert.ok(isFinal(job.state), `an accepted job was lost: ${where}`);
    assert.ok(transmissions <= 1 && printed <= asked, `a label came out twice: ${where}`);
    if (job.state === "Done") assert.equal(printed, asked, `done that was not: ${where}`);
    if (job.state === "Failed") assert.equal(transmissions, 0, `failed, and yet sent: ${where}`);
    if (job.state === "Unknown")
      assert.ok(transmissions > 0 || killedInMark, `unknown, and not a byte was sent: ${where}`);
  }
  const inOrder = world.accepted.filter((id) => world.began.includes(id));
  assert.deepEqual(world.began, inOrder, `order was not kept: seed ${seed}`);
}

test(`${SEEDS} lives among faults: no label twice, no accepted job lost, no Done that was not, order kept`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await live(seed);
});

const COUNT = { asked: 2, printed: 1 };
const EVENTS: readonly JobEvent[] = [
  { type: "ready", odometer: 1, device: "tcp 10.0.0.1" },
  { type: "not-ready", reasons: ["paper-out"] },
  { type: "unreachable", error: { code: "PRINTER_OFFLINE", message: "away" } },
  { type: "restarted" },
  { type: "unsuited" },
  { type: "removed", count: { asked: 1, printed: 0 } },
  { type: "printing", count: COUNT },
  { type: "stopped", count: COUNT, reasons: ["head-open"] },
  { type: "done", verification: "printer", count: COUNT },
  { type: "failed", verification: "printer", count: COUNT, error: { code: "X", message: "x" } },
  { type: "lost", verification: "none", count: COUNT },
  { type: "not-sent" },
  { type: "not-sent", reason: "busy" },
  { type: "not-sent", reason: "offline", error: { code: "PRINTER_OFFLINE", message: "refused" } },
  { type: "withdrawn" },
  { type: "interrupted" },
];
const PHASES = Object.keys(TRANSITIONS) as JobPhase[];
const count = { asked: 1, printed: 0 };
const SAMPLES: Readonly<Record<JobPhase, Pick<Job, "state" | "started" | "count">>> = {
  queued: { state: "Queued", started: false, count },
  blocked: { state: "Held", started: false, count },
  sending: { state: "Sending", started: true, count },
  printing: { state: "Printing", started: true, count },
  stopped: { state: "Held", started: true, count },
  done: { state: "Done", started: true, count },
  failed: { state: "Failed", started: true, count },
  unknown: { state: "Unknown", started: true, count },
};
const moment = { now: 100, unreachableSince: undefined, giveUpMs: 1_000 };

test("the table: what has ended stays as it is, whatever is told of it afterwards", () => {
  for (const phase of ["done", "failed", "unknown"] as const)
    for (const event of EVENTS) assert.equal(advance(SAMPLES[phase], event, moment), undefined);
});

test("the table: only a job of which nothing was sent is sent, and only one that is told not to have left is un-sent", () => {
  for (const phase of PHASES) {
    for (const event of EVENTS) {
      const step = advance(SAMPLES[phase], event, moment);
      if (step?.action === "send") assert.equal(SAMPLES[phase].started, false, `${phase} ${event.type}`);
      if (SAMPLES[phase].started && step?.change?.started === false)
        assert.ok(phase === "sending" && ["not-sent", "withdrawn"].includes(event.type));
      if (step?.change?.state === "Unknown") assert.ok(SAMPLES[phase].started, `${phase} ${event.type}`);
      if (step?.change) assert.ok(PHASES.includes(phaseOf({ ...SAMPLES[phase], ...step.change })));
    }
  }
});

test("the table: a job leaves with the counter and the device whose counter it is, and trouble on the way changes the counter alone", () => {
  const left = advance(
    SAMPLES.queued,
    { type: "ready", odometer: 7, device: "tcp 10.0.0.1" },
    moment,
  )?.change;
  assert.deepEqual([left?.odometer, left?.device], [7, "tcp 10.0.0.1"]);
  const spoilt: JobEvent = { type: "stopped", count: COUNT, reasons: ["paper-out"], odometer: 8 };
  const held = advance(SAMPLES.printing, spoilt, moment)?.change;
  assert.equal(held?.odometer, 8);
  assert.ok(held && !("device" in held));
  const behind = advance(SAMPLES.printing, { ...spoilt, odometer: undefined }, moment)?.change;
  assert.ok(behind && "odometer" in behind && behind.odometer === undefined);
  const silent = advance(SAMPLES.printing, { type: "printing", count: COUNT }, moment)?.change;
  assert.ok(silent && !("odometer" in silent));
});

test("the table: giving up counts from when the printer became unreachable for the job, and begins anew when it is back", () => {
  const away: JobEvent = { type: "unreachable", error: { code: "PRINTER_OFFLINE", message: "away" } };
  const at = (now: number, unreachableSince: number | undefined) =>
    advance(SAMPLES.queued, away, { now, unreachableSince, giveUpMs: 1_000 });
  const first = at(5_000, undefined);
  assert.deepEqual([first?.action, first?.unreachableSince], ["retry-later", 5_000]);
  assert.equal(at(6_000, 5_000)?.action, "retry-later");
  assert.equal(at(6_001, 5_000)?.change?.state, "Failed");
  const back = advance(
    SAMPLES.queued,
    { type: "not-ready", reasons: ["paper-out"] },
    { ...moment, unreachableSince: 1 },
  );
  assert.equal(back?.unreachableSince, undefined);
});

test("the table: a printer that hangs up before the first byte counts as unreachable from the first time on", () => {
  const hangUp = (now: number, unreachableSince: number | undefined) =>
    advance(SAMPLES.sending, { type: "not-sent" }, { now, unreachableSince, giveUpMs: 1_000 });
  const dead = hangUp(5_000, undefined);
  assert.deepEqual([dead?.action, dead?.unreachableSince], ["retry-now", 5_000]);
  const ready = advance(
    SAMPLES.queued,
    { type: "ready", odometer: 1 },
    { ...moment, unreachableSince: 5_000 },
  );
  assert.equal(ready?.unreachableSince, 5_000, "a connection that was taken is not yet one that takes data");
  const again = hangUp(5_001, 5_000);
  assert.deepEqual(
    [again?.action, again?.change?.state, again?.change?.reasons],
    ["retry-later", "Queued", ["connection-closed"]],
  );
  const last = hangUp(6_001, 5_000);
  assert.deepEqual(
    [last?.action, last?.change?.state, last?.change?.started, last?.change?.error?.code],
    ["end", "Failed", false, "PRINTER_OFFLINE"],
  );
  const closing = advance(SAMPLES.sending, { type: "withdrawn" }, { ...moment, unreachableSince: -5_000 });
  assert.equal(closing?.change?.state, "Queued", "closing the bridge gives up nothing");
});

test("the table: a document that is refused before it was begun waits as long as for a printer that is away, and then fails", () => {
  const error = { code: "PRINTER_OFFLINE", message: "refused" };
  const refused = { type: "not-sent", reason: "offline", error } as const;
  const first = advance(SAMPLES.sending, refused, moment);
  assert.deepEqual([first?.change?.state, first?.action], ["Queued", "retry-later"]);
  const late = advance(SAMPLES.sending, refused, { ...moment, unreachableSince: -5_000 });
  assert.deepEqual([late?.change?.state, late?.change?.error], ["Failed", error]);
});

test("why a job failed is a sentence, whoever tells it", () => {
  const error = { code: "INTERNAL", message: "x".repeat(100_000) };
  const count = { asked: 1, printed: 0 };
  const job = { state: "Printing", started: true, count } as const;
  const moment = { now: 0, unreachableSince: undefined, giveUpMs: 0 };
  for (const type of ["failed", "lost"] as const) {
    const step = advance(job, { type, verification: "none", count, error }, moment);
    assert.equal(step?.change?.error?.message.length, 500);
  }
});
