import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import { History } from "../../services/lease/engine/src/store/history.ts";
import { residentBytes } from "./cable.ts";
import { FIRST, fillEvents, fillLeases } from "./filled-store.ts";
import type { Segment } from "./segment.ts";

const POOL = ["10.80.0.1", "10.95.255.255"] as const;
const LEASES = 1_038_090;
const EVENTS = 10_000_000;
/** Two seconds of new clients must fit into the one per cent that is free. */
const OFFERED = 5000;
const QUESTIONS = 200;

/** What many leases and many events cost: memory, a restart, new clients in a /12 that is 99 % full, a question to the history. */
export async function reportMillion(segment: Segment): Promise<void> {
  console.error("a million leases");
  const empty = await segment.ours("empty", POOL);
  const emptyBytes = residentBytes(empty.pid);
  const intoEmpty = segment.generate(OFFERED, 2).rate;
  await empty.stop();
  const folder = join(segment.folder, "full/lease/engine");
  mkdirSync(folder, { recursive: true });
  fillLeases(join(folder, "leases.db"), LEASES);
  const full = await segment.ours("full", POOL);
  const seconds = Number(/"tookMs":([\d.]+)/.exec(full.output())?.[1]) / 1000;
  const bytes = (residentBytes(full.pid) - emptyBytes) / LEASES;
  const intoFull = segment.generate(OFFERED, 2).rate;
  await full.stop();
  console.log(
    `\nours with ${LEASES} leases: ${bytes.toFixed(0)} bytes of RSS each, serving ${seconds.toFixed(2)} s after its start`,
  );
  console.log(
    `ours, ${OFFERED} new clients a second offered to a /12: ${intoFull.toFixed(0)} a second when it is 99 % full, ${intoEmpty.toFixed(0)} when it is empty, ratio ${(intoFull / intoEmpty).toFixed(2)}`,
  );
  console.error("ten million events");
  const path = join(segment.folder, "history.db");
  fillEvents(path, EVENTS);
  const took = ask(path);
  const at = (share: number) => took[Math.floor((took.length - 1) * share)]?.toFixed(1);
  console.log(
    `who held an address at a time, over ${EVENTS} events: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
  );
}

/** Milliseconds that each of some questions took, shortest first. */
function ask(path: string): number[] {
  const history = new History(path);
  const took = Array.from({ length: QUESTIONS }, (_, i) => {
    const ip = FIRST + ((i * 7919) & 0xffff);
    const at = Math.floor(((i + 1) / (QUESTIONS + 1)) * EVENTS * 1000);
    const startedAt = performance.now();
    const holder = history.holder(ip, at);
    // In the first eighteen hours not every address has had an event.
    if (!holder && at > 100_000_000) throw new Error(`nobody held ${formatIpv4(ip)}`);
    return performance.now() - startedAt;
  });
  history.close();
  return took.sort((a, b) => a - b);
}
