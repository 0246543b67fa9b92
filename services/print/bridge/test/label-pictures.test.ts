import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { openLabelPictures } from "../src/adapters/label-pictures.ts";
import { labelsIn } from "../src/languages/judge.ts";

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

test("labels of EPL and TSPL are counted by both numbers of their print commands", () => {
  assert.equal(labelsIn("tspl", "CLS\nPRINT 3,4\nPRINT 2\n"), 14);
  assert.equal(labelsIn("tspl", "PRINT 1 , 99999\n"), 99_999);
  assert.equal(labelsIn("epl", "N\nP2,60000\nN\nP1\n"), 120_001);
});
