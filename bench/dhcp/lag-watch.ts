import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { HaStatus } from "@frontdesk/lease-control-api/ha";

/** Looks at an engine of a pair for a time, and tells how long its oldest change had waited for the peer each time. */
const [tokenPath = "", seconds = ""] = process.argv.slice(2);
const EVERY_MS = 20;
const headers = { authorization: `Bearer ${readFileSync(tokenPath, "utf8").trim()}` };
const samples: number[] = [];
const until = performance.now() + Number(seconds) * 1000;
while (performance.now() < until) {
  const reply = await fetch("http://127.0.0.1:31076/v1/ha/status", { headers });
  samples.push(((await reply.json()) as HaStatus).oldest_unacked_s ?? 0);
  await delay(EVERY_MS);
}
console.log(JSON.stringify(samples));
