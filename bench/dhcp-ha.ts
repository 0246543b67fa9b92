import { globSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { cpuSeconds, residentBytes } from "./dhcp/cable.ts";
import { type PairedServer, PairSegment } from "./dhcp/pair-segment.ts";
import { searchRate } from "./dhcp/search-rate.ts";
import { machine, table, whole } from "./tools/table.ts";

/**
 * A pair of engines in hot standby beside one alone, and Kea with its HA hook where there is one: takeover, catching up,
 * throughput, what a lease costs. `--quick`: small numbers, to see that it runs. `--million`: a million leases in full.
 * `--resync`: catching up alone.
 */
const isQuick = process.argv.includes("--quick");
const SECONDS = isQuick ? 2 : 4;
const CHANGES = isQuick ? 2000 : 10_000;
const LEASES = process.argv.includes("--million") ? 1_000_000 : isQuick ? 5000 : 100_000;
const FILL_RATE = isQuick ? 1000 : 4000;
const USUAL_RATE = isQuick ? 500 : 2000;
const START_RATE = isQuick ? 500 : 4000;
const TAKEOVER_SECONDS = 60;
/** Clients a second while everything is sent, and for how long they come: not longer than that takes. */
const SERVED_RATE = 200;
const SERVED_SECONDS = Math.max(1, LEASES / 100_000);
/** The shares are even after a few seconds. */
const LENDING_MS = 5000;

const found = debianPrograms({ ip: "iproute2", curl: "curl", "kea-dhcp4": "kea-dhcp4-server" });
if ("missing" in found) throw new Error(found.missing);
const [hooks] = globSync("/usr/lib/*/kea/hooks/libdhcp_ha.so");

const say = (text: string) => console.error(text);
const rows: string[][] = [];
const told = (what: string, ours: string, beside: string, limit: string) => {
  say(`${what}: ${ours}; ${beside}`);
  rows.push([what, ours, beside, limit]);
};
const milliseconds = (value: number) => (Number.isFinite(value) ? `${whole(value)} ms` : "no answer");

if (process.argv.includes("--resync")) await onSegment(resyncs);
else {
  await ours();
  await kea();
}
console.log(table(["", "pair", "beside it", "wanted"], rows));
console.log(
  `\n${machine()}, load ${loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")}`,
);

interface Alone {
  readonly peak: number;
  readonly cpu: number;
  readonly bytesALease: number;
}

async function ours(): Promise<void> {
  const one = await onSegment(single);
  await onSegment((segment) => throughput(segment, one));
  await onSegment(takeovers);
  await onSegment(resyncs);
}

async function onSegment<T>(measure: (segment: PairSegment) => Promise<T>): Promise<T> {
  const segment = new PairSegment();
  try {
    return await measure(segment);
  } finally {
    segment.close();
  }
}

function lossAt(segment: PairSegment): (rate: number) => number {
  return (rate) => 1 - segment.generate("a", rate, SECONDS).acks / (rate * SECONDS);
}

/** Microseconds of processor time for an exchange. */
function cpuFor(segment: PairSegment, pids: readonly number[]): number {
  const before = pids.map(cpuSeconds);
  const { acks } = segment.generate("a", USUAL_RATE, SECONDS);
  const spent = pids.reduce((sum, pid, i) => sum + cpuSeconds(pid) - (before[i] as number), 0);
  return (spent * 1e6) / acks;
}

function fill(segment: PairSegment, count: number): number {
  return segment.generate("a", FILL_RATE, count / FILL_RATE).acks;
}

async function single(segment: PairSegment): Promise<Alone> {
  say("one engine alone");
  const { pid } = await segment.ours("a", "off");
  segment.generate("a", USUAL_RATE, SECONDS);
  const before = residentBytes(pid);
  const filled = fill(segment, Math.min(LEASES, 100_000));
  const bytesALease = (residentBytes(pid) - before) / filled;
  const cpu = cpuFor(segment, [pid]);
  return { peak: searchRate(lossAt(segment), START_RATE), cpu, bytesALease };
}

async function throughput(segment: PairSegment, one: Alone): Promise<void> {
  say("a pair in normal operation");
  const { a, b } = await segment.oursPaired();
  await delay(LENDING_MS);
  segment.generate("a", USUAL_RATE, SECONDS);
  const before = [a, b].map(({ pid }) => residentBytes(pid));
  const filled = fill(segment, Math.min(LEASES, 100_000));
  const grown = [a, b].map(({ pid }, i) => (residentBytes(pid) - (before[i] as number)) / filled);
  told(
    "memory a lease, primary and secondary",
    grown.map((bytes) => `${whole(bytes)} B`).join(", "),
    `alone ${whole(one.bytesALease)} B`,
    "",
  );
  const cpu = [cpuFor(segment, [a.pid]), cpuFor(segment, [b.pid])];
  told(
    `processor time an exchange at ${USUAL_RATE}/s, primary and secondary`,
    cpu.map((value) => `${whole(value)} µs`).join(", "),
    `alone ${whole(one.cpu)} µs`,
    "",
  );
  const lags = (await segment.lag(USUAL_RATE, SECONDS * 2)).sort((x, y) => x - y);
  const at = (share: number) => milliseconds((lags[Math.floor((lags.length - 1) * share)] ?? 0) * 1000);
  told(`update lag at ${USUAL_RATE}/s, p50 and p99`, `${at(0.5)}, ${at(0.99)}`, "", "");
  const peak = searchRate(lossAt(segment), START_RATE);
  told(
    "L6 new clients a second",
    `${whole(peak)} (${(peak / one.peak).toFixed(2)})`,
    `alone ${whole(one.peak)}`,
    "0.8",
  );
}

async function takeovers(segment: PairSegment): Promise<void> {
  say("takeovers");
  const { a } = await segment.oursPaired();
  await delay(LENDING_MS);
  const killed = await segment.firstAnswer("b", () => a.kill(), TAKEOVER_SECONDS);
  told("L1 first answer to a new client after kill -9", milliseconds(killed), "", "1 000 ms");
  await segment.ours("a", "on");
  await segment.normal();
  await delay(LENDING_MS);
  const vanish = () => segment.link("a", ["ha", "s0"], "down");
  const vanished = await segment.firstAnswer("b", vanish, TAKEOVER_SECONDS);
  told("L1 the same after the machine vanishes", milliseconds(vanished), "", "5 000 ms");
}

async function resyncs(segment: PairSegment): Promise<void> {
  say("catching up");
  const { a, b } = await segment.oursPaired();
  await delay(LENDING_MS);
  segment.link("a", ["ha"], "down");
  await segment.alone("a");
  const changes = fill(segment, CHANGES);
  const from = Date.now();
  segment.link("a", ["ha"], "up");
  const took = (await segment.normal()) - from;
  told(
    `L5 ${whole(changes)} changes, from the link to normal`,
    milliseconds(took),
    "",
    "2 000 ms for 10 000",
  );

  fill(segment, LEASES - changes);
  await loseDisk(segment, b);
  const before = cpuSeconds(a.pid);
  const started = Date.now();
  const restarted = await segment.ours("b", "on");
  const serving = Date.now() - started;
  const caughtUp = (await segment.normal()) - started;
  const cpu = [cpuSeconds(a.pid) - before, cpuSeconds(restarted.pid)];
  const { last_resync } = segment.status("b");
  told(
    `L5 ${whole(LEASES)} leases in full, from the start to normal`,
    milliseconds(caughtUp),
    `the start itself ${milliseconds(serving)}, rows told ${last_resync ? whole(last_resync.rows) : "none"}`,
    "15 000 ms for 1 000 000",
  );
  told(
    "processor time for it, sender and receiver",
    cpu.map((seconds) => `${seconds.toFixed(1)} s`).join(", "),
    "",
    "",
  );

  await loseDisk(segment, restarted);
  await segment.ours("b", "on");
  const served = await segment.generating("a", SERVED_RATE, SERVED_SECONDS);
  const isOver = segment.status("b").state === "normal";
  told(
    `L5 an exchange at the sender meanwhile, ${SERVED_RATE}/s, p50 and p99`,
    `${milliseconds(served.p50)}, ${milliseconds(served.p99)}`,
    `${whole(served.acks)} of ${whole(served.begun)} served${isOver ? ", the resync ended before" : ""}`,
    "p99 50 ms",
  );
}

/** Stops the secondary and takes its leases away; the primary has seen that it is gone. */
async function loseDisk(segment: PairSegment, secondary: PairedServer): Promise<void> {
  await secondary.stop();
  for (const suffix of ["", "-wal", "-shm"]) {
    rmSync(join(segment.home("b"), `lease/engine/leases.db${suffix}`), { force: true });
  }
  await segment.alone("a");
}

/** Kea's hot standby with the same times, for what can be compared. */
async function kea(): Promise<void> {
  if (!hooks) {
    console.log(
      "Kea's HA hook is not on this machine (kea-dhcp4-server brings libdhcp_ha.so): not compared.",
    );
    return;
  }
  await onSegment(async (segment) => {
    say("Kea in hot standby");
    const folder = join(hooks, "..");
    const [a] = await Promise.all([segment.kea("a", folder), segment.kea("b", folder)]);
    const started = Date.now();
    while (segment.generate("a", 20, 1).acks < 10 && Date.now() - started < 60_000) await delay(500);
    const peak = searchRate(lossAt(segment), START_RATE);
    told("Kea, hot standby: new clients a second", "", whole(peak), "");
    const killed = await segment.firstAnswer("b", () => a.kill(), TAKEOVER_SECONDS);
    told(
      "Kea, hot standby: first answer after kill -9 (max-response-delay 5 s)",
      "",
      milliseconds(killed),
      "",
    );
  });
}
