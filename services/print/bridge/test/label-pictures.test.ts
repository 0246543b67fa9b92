import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { openLabelPictures } from "../src/adapters/label-pictures.ts";
import { labelsIn } from "../src/languages/judge.ts";
import { admitted, bridge } from "./support.ts";

test("a job of many labels leaves the newest pictures, and everybody else gets a turn meanwhile", async (t) => {
  const home = temporaryHome(t);
  const pictures = openLabelPictures(home);
  const named = (job: string, count: number) =>
    Array.from({ length: count }, (_, n) => {
      return [`${job}-${String(n).padStart(5, "0")}.png`, Uint8Array.of(n & 255)] as const;
    });
  let turns = 0;
  const turn = setInterval(() => turns++, 0);
  t.after(() => clearInterval(turn));
  await pictures.put("dock", named("a", 150));
  await pictures.put("dock", named("b", 1000));
  assert.ok(turns > 10, `${turns} turns`);
  const kept = pictures.list("dock");
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [200, "b-00999.png", "b-00800.png"]);
  assert.deepEqual(pictures.picture("dock", "b-00999.png"), Buffer.of(999 & 255));
  assert.equal(readdirSync(join(home, "virtual/dock")).length, 200, "nothing half written stays");
});

test("after a clock that was ahead is set right, the newest pictures are still those that were made last", async (t) => {
  let now = Date.parse("2031-01-01T00:00:00Z");
  const clock = { now: () => now };
  const home = temporaryHome(t);
  const b = await bridge(t, { home, clock });
  b.addPrinter({ id: "v", transport: "virtual", widthMm: 20, heightMm: 10 });
  const page = await admitted(t, b.url, b.allow());
  const print = async (data: string) => {
    const jobId = await page.jobId("print.raw", { printer: "v", data });
    assert.equal((await page.ended(jobId)).state, "Done");
    return jobId;
  };
  const label = "^XA^FO1,1^GB9,9,2^FS^XZ";
  await print(label.repeat(200));
  now = Date.parse("2030-01-01T00:00:00Z");
  const jobs = [await print(label), await print(label)];
  const kept = openLabelPictures(home).list("v");
  assert.equal(kept.length, 200);
  assert.deepEqual(
    kept.slice(0, 2).map((name) => jobs.findIndex((jobId) => name.includes(jobId))),
    [1, 0],
  );
});

test("labels of EPL and TSPL are counted by both numbers of their print commands", () => {
  assert.equal(labelsIn("tspl", "CLS\nPRINT 3,4\nPRINT 2\n"), 14);
  assert.equal(labelsIn("tspl", "PRINT 1 , 99999\n"), 99_999);
  assert.equal(labelsIn("epl", "N\nP2,60000\nN\nP1\n"), 120_001);
});
