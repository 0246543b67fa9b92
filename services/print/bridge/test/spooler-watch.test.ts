import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import type { JobDocument } from "../src/domain/backend.ts";
import { BridgeError } from "../src/domain/errors.ts";
import type { JobOutcome, JobProgress } from "../src/domain/job-machine.ts";
import type { SpoolerJob } from "../src/domain/spooler.ts";
import { virtualTime } from "./virtual-time.ts";

const WAITING: SpoolerJob = { state: "waiting", reasons: [] };
const POLL_MS = 250;

/** A spooler whose answers take a while, and the backend before it. */
function desk() {
  const time = virtualTime();
  const states = new Map<string, SpoolerJob>();
  const seen = { questions: 0, atOnce: 0, most: 0, isAway: false };
  const backend = createSpoolerBackend({
    spooler: {
      submit: async () => {
        const name = String(states.size + 1);
        states.set(name, WAITING);
        return name;
      },
      jobs: async (names) => {
        seen.questions++;
        seen.most = Math.max(seen.most, ++seen.atOnce);
        await time.wait(50);
        seen.atOnce--;
        if (seen.isAway) throw new BridgeError("TRANSPORT_TIMEOUT", "away");
        return new Map(names.map((name) => [name, states.get(name) as SpoolerJob]));
      },
      status: async () => ({ online: true, state: "ready", reasons: [], labelsRemaining: 0 }),
    },
    monotonic: time.monotonic,
    wait: time.wait,
    pollMs: POLL_MS,
    recoverMs: 30_000,
  });
  const outcomes = new Map<string, JobOutcome>();
  async function print(id: string, report: (progress: JobProgress) => void = () => {}): Promise<void> {
    const document: JobDocument = {
      id,
      data: Buffer.from("^XA^XZ"),
      copies: 1,
      labels: 1,
      rfid: false,
      odometer: undefined,
      spoolerJob: undefined,
    };
    const { taken, outcome } = backend.send(document, report);
    void outcome.then((ended) => outcomes.set(id, ended));
    await taken;
  }
  return { time, states, seen, backend, outcomes, print };
}

test("however many jobs a spooler has, it is asked one question at a time, and less and less often", async () => {
  const { time, states, seen, outcomes, print, backend } = desk();
  for (let job = 1; job <= 500; job++) await print(String(job));
  await time.pass(60_000);
  const before = seen.questions;
  await time.pass(600_000);
  assert.equal(seen.most, 1);
  assert.ok(seen.questions - before <= 600_000 / (20 * POLL_MS), `${seen.questions - before} questions`);
  for (const name of states.keys()) states.set(name, { state: "done", reasons: [] });
  assert.ok(await time.until(() => outcomes.size === 500, 20 * POLL_MS + 100));
  assert.ok([...outcomes.values()].every(({ type }) => type === "done"));
  const after = seen.questions;
  await time.pass(60_000);
  assert.equal(seen.questions, after, "where nothing waits nothing is asked");
  await backend.close();
});

test("many jobs that are handed over one upon the other are asked after by few questions", async () => {
  const { time, seen, print, backend } = desk();
  await print("first");
  await time.pass(600_000);
  const before = seen.questions;
  for (let job = 1; job <= 500; job++) {
    await print(String(job));
    await time.pass(10);
  }
  assert.ok(seen.questions - before <= 2 + 5_000 / POLL_MS, `${seen.questions - before} questions`);
  await backend.close();
});

test("a job that is handed over, or one that goes on, is asked after soon again", async () => {
  const { time, states, seen, outcomes, print, backend } = desk();
  const told: string[] = [];
  await print("1", ({ type }) => told.push(type));
  await time.pass(600_000);
  await print("2");
  const before = seen.questions;
  await time.pass(2 * POLL_MS);
  assert.ok(seen.questions > before);
  await time.pass(600_000);
  states.set("1", { state: "held", reasons: ["media-empty"] });
  await time.until(() => told.at(-1) === "stopped");
  states.set("1", { state: "done", reasons: [] });
  assert.ok(await time.until(() => outcomes.has("1"), 2 * POLL_MS));
  await backend.close();
  await time.until(() => outcomes.has("2"));
  assert.equal(outcomes.get("2")?.type, "interrupted");
});

test("a spooler that is away for long leaves the job unknown, and a machine that slept does not", async () => {
  const { time, seen, outcomes, print, backend } = desk();
  await print("1");
  await time.pass(600_000);
  seen.isAway = true;
  await time.pass(6_000);
  seen.isAway = false;
  await time.pass(600_000);
  assert.equal(outcomes.size, 0);
  seen.isAway = true;
  await time.until(() => outcomes.size === 1, 60_000);
  assert.equal(outcomes.get("1")?.type, "lost");
  await backend.close();
});
