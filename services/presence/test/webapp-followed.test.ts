import assert from "node:assert/strict";
import { test } from "node:test";
import { createFollowedNews, GATHER_MS } from "../webapp/src/followed-news.ts";

test("of what was missed before a reconnect only what somebody is now is told, once", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told: string[] = [];
  const news = createFollowedNews();
  const hear = (member: string, before: string, now: string) =>
    news(member, { before, now, tell: () => told.push(`${member} ${now}`) });
  hear("ben", "office", "meeting");
  hear("ben", "meeting", "focus");
  hear("cleo", "office", "away");
  hear("cleo", "away", "office");
  hear("ben", "focus", "vacation");
  t.mock.timers.tick(GATHER_MS);
  assert.deepEqual(told, ["ben vacation"], "Cleo is what she was");
  hear("cleo", "office", "sick");
  t.mock.timers.tick(GATHER_MS);
  assert.deepEqual(told, ["ben vacation", "cleo sick"]);
});
