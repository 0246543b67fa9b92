import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@frontdesk/kit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { openJournal } from "../src/adapters/sqlite-journal.ts";
import type { Job, LabelCount } from "../src/domain/job.ts";
import { advance, type JobEvent } from "../src/domain/job-machine.ts";
import { administer, admitted, bridge, ORIGIN, simulator } from "./support.ts";

const TAG = { index: 0, printed: true, encoded: true, voided: false, epc: "3034AA" };

/** A job that was under way when the bridge ended. */
const jobOf = (id: string, count: LabelCount, rfid: boolean): Job => ({
  id,
  origin: ORIGIN,
  printer: "dock",
  alias: "dock",
  state: "Printing",
  started: true,
  verification: "none",
  language: "zpl",
  copies: 1,
  rfid,
  count,
  reasons: [],
  error: undefined,
  odometer: undefined,
  createdAt: systemClock.now(),
  updatedAt: systemClock.now(),
});

for (const isThere of [true, false])
  test(`labels that were printed or encoded before a restart are told with the job that is unknown after it${isThere ? "" : ", also where the printer is gone"}`, async (t) => {
    const home = temporaryHome(t);
    const journal = openJournal(join(home, "queue.db"), systemClock);
    for (const job of [
      jobOf("tagged", { asked: 3, printed: 1, tags: [TAG] }, true),
      jobOf("plain", { asked: 3, printed: 2 }, false),
    ]) {
      const accepted = { ...job, count: { asked: job.count.asked, printed: 0 } };
      await journal.commit([{ kind: "accepted", job: accepted, data: Buffer.from("^XA^XZ") }]);
      await journal.commit([{ kind: "changed", job: job.id, change: { count: job.count } }]);
    }
    await journal.close();
    const sim = await simulator(t);
    if (isThere) {
      const admin = administer(home);
      admin.addPrinter({ id: "dock", transport: "tcp", address: sim.address, rfid: true });
      admin.close();
    }
    const b = await bridge(t, { home });
    const page = await admitted(t, b.url, b.allow());
    const tagged = await page.ended("tagged");
    assert.deepEqual([tagged.state, tagged.verification, tagged.labels], ["Unknown", "rfid", [TAG]]);
    const plain = await page.ended("plain");
    const printed = plain.labels.map((label) => label.printed);
    assert.deepEqual([plain.state, plain.verification, printed], ["Unknown", "printer", [true, true, false]]);
  });

test("progress that knows of fewer labels than were seen takes none of them back; more are taken", () => {
  const job = jobOf("j", { asked: 5, printed: 3 }, false);
  const moment = { now: 0, unreachableSince: undefined, giveUpMs: 1 };
  const countAfter = (event: JobEvent) => advance(job, event, moment)?.change?.count?.printed;
  const stopped = (printed: number): JobEvent => ({
    type: "stopped",
    reasons: ["not-answering"],
    count: { asked: 5, printed },
  });
  assert.deepEqual([countAfter(stopped(0)), countAfter(stopped(4))], [3, 4]);
});
