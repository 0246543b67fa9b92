import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { debianPrograms } from "../services/lease/engine/test/debian-programs.ts";
import { fillLeases6 } from "./dhcp/filled-store6.ts";
import { cpuSeconds, residentBytes, type Server } from "./dhcp/segment.ts";
import { type LeaseKind, Segment6 } from "./dhcp/segment6.ts";
import { machine, table } from "./tools/table.ts";

/**
 * DHCPv6 beside Kea, by perfdhcp: the same pools, in turn, in one run. `--quick` measures for a shorter time;
 * `--million` only what many leases cost.
 */
const SECONDS = process.argv.includes("--quick") ? 2 : 4;
const MOST_LOST = 0.025;
const MOST_TRIED = 40_000;
const KINDS: readonly LeaseKind[] = ["address-only", "prefix-only", "address-and-prefix"];
/** At which processor time is compared: all servers can do it. */
const USUAL_RATE = 500;
const LEASES = 1_000_000;

const found = debianPrograms({ ip: "iproute2", "kea-dhcp6": "kea-dhcp6-server", perfdhcp: "kea-admin" });
if ("missing" in found) throw new Error(found.missing);

const say = (text: string) => console.error(text);
const segment = new Segment6();
try {
  await segment.open();
  if (!process.argv.includes("--million")) await compare();
  await reportMillion();
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(`\n${machine()}, load ${load.join(" ")}`);
} finally {
  segment.close();
}

async function compare(): Promise<void> {
  const servers = [() => segment.kea(1), () => segment.kea(2), () => segment.ours()];
  const rows: Array<{ name: string; rates: number[]; cpu: number }> = [];
  for (const start of servers) rows.push(await measure(await start()));
  const best = KINDS.map((_, i) => Math.max(...rows.slice(0, 2).map(({ rates }) => rates[i] as number)));
  const cells = rows.map(({ name, rates, cpu }) => [
    name,
    ...rates.flatMap((rate, i) => [rate.toFixed(0), (rate / (best[i] as number)).toFixed(2)]),
    cpu.toFixed(0),
  ]);
  const heads = KINDS.flatMap((kind) => [kind, "times Kea"]);
  console.log(table(["exchanges a second by perfdhcp", ...heads, `CPU µs at ${USUAL_RATE}`], cells));
}

/** Each server is warm when it is measured. */
async function measure(server: Server): Promise<{ name: string; rates: number[]; cpu: number }> {
  say(server.name);
  segment.perfdhcp(USUAL_RATE, SECONDS, "address-only");
  const rates = KINDS.map((kind) => {
    say(` ${kind}`);
    return search((rate) => segment.perfdhcp(rate, SECONDS, kind).lost, 1000);
  });
  const before = cpuSeconds(server.pid);
  const { done } = segment.perfdhcp(USUAL_RATE, SECONDS, "address-only");
  const cpu = ((cpuSeconds(server.pid) - before) * 1e6) / done;
  await server.stop();
  return { name: server.name, rates, cpu };
}

/** The highest rate at which at most 2.5 % of the exchanges are lost, to about an eighth. */
function search(lossAt: (rate: number) => number, start: number): number {
  const holds = (rate: number) => {
    const lost = lossAt(rate);
    say(`  ${rate} a second: ${(lost * 100).toFixed(1)} % lost`);
    return lost <= MOST_LOST;
  };
  let good = start;
  while (!holds(good)) {
    good = Math.round(good / 2);
    if (good < 20) return 0;
  }
  let bad = good * 2;
  while (bad < MOST_TRIED && holds(bad)) {
    good = bad;
    bad *= 2;
  }
  for (let n = 0; n < 3; n++) {
    const middle = Math.round((good + bad) / 2);
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** What many leases cost: memory, a restart, and new clients in a /64 with a million leases. */
async function reportMillion(): Promise<void> {
  say("a million leases");
  const rateOf = () => {
    segment.perfdhcp(USUAL_RATE, 2, "address-only");
    return segment.perfdhcp(2000, 3, "address-only").done / 3;
  };
  const empty = await segment.ours("empty");
  const emptyBytes = residentBytes(empty.pid);
  const intoEmpty = rateOf();
  await empty.stop();
  const folder = join(segment.folder, "full/lease/engine");
  mkdirSync(folder, { recursive: true });
  fillLeases6(join(folder, "leases.db"), LEASES);
  const full = await segment.ours("full");
  const seconds = Number(/"tookMs":([\d.]+)/.exec(full.output())?.[1]) / 1000;
  const bytes = (residentBytes(full.pid) - emptyBytes) / LEASES;
  const intoFull = rateOf();
  await full.stop();
  console.log(
    `\nours with ${LEASES} leases: ${bytes.toFixed(0)} bytes of RSS each, serving ${seconds.toFixed(2)} s after its start`,
  );
  console.log(
    `ours, 2000 new clients a second offered to a /64: ${intoFull.toFixed(0)} a second with a million leases, ${intoEmpty.toFixed(0)} with none, ratio ${(intoFull / intoEmpty).toFixed(2)}`,
  );
}
