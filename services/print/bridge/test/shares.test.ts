import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createShares } from "../src/domain/shares.ts";
import { admitted, bridge, LABEL, type Speaker, simulator, until } from "./support.ts";

test("an origin alone may have everything; where others may want some, half of what they leave", () => {
  const shares = createShares(8);
  const fill = (origin: string, isShared: boolean) => {
    let more = 0;
    for (; shares.hasRoom(origin, 1, () => isShared); more++) shares.take(origin, 1);
    return more;
  };
  assert.equal(fill("a", false), 8);
  shares.giveBack("a", 8);
  assert.deepEqual([fill("a", true), fill("b", true), fill("c", true), fill("d", true)], [4, 2, 1, 0]);
  assert.equal(shares.taken, 7);
  shares.giveBack("a", 4);
  assert.deepEqual([fill("d", true), fill("d", false), fill("a", false)], [2, 3, 0]);
  assert.equal(shares.takenBy("d"), 5);
});

const SECOND = "https://second.example";

/** Prints until it is refused; the jobs that were not. */
async function printAll(page: Speaker, data = LABEL): Promise<string[]> {
  for (const accepted: string[] = []; ; ) {
    const { result, error } = await page.call("print.raw", { printer: "dock", data });
    if (result) accepted.push(result.jobId as string);
    if (!error) continue;
    assert.deepEqual([error.code, error.retryable], ["RATE_LIMITED", true]);
    return accepted;
  }
}

/** Told by events: by then their places are free. */
const allDone = (page: Speaker, jobs: readonly string[]) =>
  until("all are done", () =>
    jobs.every((id) => page.jobs().some(({ job_id, state }) => job_id === id && state === "Done")),
  );

test("while the roll is empty one page leaves room for the jobs of others, also after a restart", async (t) => {
  const sim = await simulator(t);
  sim.printer.set("paper-out", true);
  const home = temporaryHome(t);
  const env = { PRINT_LIMIT_WAITING: "8" };
  const first = await bridge(t, { home, env });
  first.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const token = first.allow();
  const jobs = await printAll(await admitted(t, first.url, token));
  assert.equal(jobs.length, 8, "it is the only one");
  await first.close();

  const again = await bridge(t, { home, env });
  const page = await admitted(t, again.url, token);
  await page.ask("subscribe");
  assert.deepEqual(await printAll(page), [], "they wait still");
  sim.printer.set("paper-out", false);
  await allDone(page, jobs);
  sim.printer.set("paper-out", true);
  const other = await admitted(t, again.url, again.allow(SECOND), { origin: SECOND });
  assert.equal((await printAll(page)).length, 4, "half of it");
  assert.equal((await printAll(other)).length, 2);
});

test("where nobody has any, the first finds room for all there is, and no more", () => {
  const shares = createShares(10);
  const hasRoom = (origin: string, amount: number) => shares.hasRoom(origin, amount, () => true);
  assert.deepEqual([hasRoom("a", 6), hasRoom("a", 10), hasRoom("a", 11)], [true, true, false]);
  shares.take("a", 6);
  assert.deepEqual([hasRoom("a", 1), hasRoom("b", 2), hasRoom("b", 3)], [false, true, false]);
  assert.ok(createShares(1).hasRoom("a", 1, () => true));
});

test("jobs that wait share the disk too", async (t) => {
  const sim = await simulator(t);
  sim.printer.set("paper-out", true);
  const b = await bridge(t, { env: { PRINT_LIMIT_WAITING_BYTES: "100000" } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  await page.ask("subscribe");
  const other = await admitted(t, b.url, b.allow(SECOND), { origin: SECOND });
  const data = `^XA^FX${"x".repeat(9_986)}^FS^XZ`;
  const jobs = await printAll(page, data);
  assert.equal(jobs.length, 5);
  assert.equal((await printAll(other, data)).length, 2);
  sim.printer.set("paper-out", false);
  await allDone(page, jobs);
  await page.ask("print.raw", { printer: "dock", data });
});
