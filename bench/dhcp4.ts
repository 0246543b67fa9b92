import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { cpuSeconds, type Server } from "./dhcp/cable.ts";
import { reportMillion } from "./dhcp/million.ts";
import { searchRate } from "./dhcp/search-rate.ts";
import { Segment } from "./dhcp/segment.ts";
import { machine, table } from "./tools/table.ts";

/**
 * DHCPv4 beside Kea and dnsmasq: the same pool, the same generators, in turn, in one run.
 * `--quick` measures for a shorter time; `--million` only what many leases and events cost.
 */
const SECONDS = process.argv.includes("--quick") ? 2 : 4;
const USUAL_RATES = [1000, 5000];
const WARM_UP_RATE = 1500;
/** What a flood has left on its way to disk is not the next measurement's. */
const SETTLE_MS = 3000;

interface Figures {
  readonly name: string;
  /** Exchanges a second that perfdhcp got through. */
  readonly perfdhcp: number;
  /** And at half as much again: what it began, what it lost, what its own socket dropped. */
  readonly beyond: { readonly begun: number; readonly lost: number; readonly dropped: number };
  /** The same by our generator, new clients and renewals. */
  readonly peak: number;
  readonly renewals: number;
  /** Microseconds of processor time for an exchange at the peak, and at rates that sites have. */
  readonly cpu: number;
  readonly cpuAt: ReadonlyMap<number, number>;
  readonly goodput: number;
}

const found = debianPrograms({
  ip: "iproute2",
  "kea-dhcp4": "kea-dhcp4-server",
  perfdhcp: "kea-admin",
  dnsmasq: "dnsmasq-base",
});
if ("missing" in found) throw new Error(found.missing);

const say = (text: string) => console.error(text);
const segment = new Segment();
try {
  if (!process.argv.includes("--million")) await compare();
  await reportMillion(segment);
  console.log(
    `\n${machine()}, load ${loadavg()
      .map((value) => value.toFixed(1))
      .join(" ")}`,
  );
} finally {
  segment.close();
}

async function compare(): Promise<void> {
  const servers = [() => segment.kea(1), () => segment.kea(2), () => segment.ours(), () => segment.dnsmasq()];
  const rows: Figures[] = [];
  for (const start of servers) rows.push(await measure(await start()));
  const [one, two, ours] = rows as [Figures, Figures, Figures, Figures];
  const half = Math.round(Math.max(one.peak, two.peak) / 2);
  const delays: Array<{ p50: number; p99: number }> = [];
  for (const [i, start] of servers.entries()) {
    const server = await start();
    // dnsmasq would answer next to nothing at that rate: it is asked at half of its own.
    const rate = i === 3 ? Math.round((rows[3] as Figures).peak / 2) : half;
    segment.generate(rate, SECONDS);
    delays.push(segment.generate(rate, SECONDS));
    await server.stop();
  }
  report(rows, delays, half);
  const { beyond } = ours;
  console.log(
    `perfdhcp beyond its rate with ours: of ${beyond.begun} exchanges it lost ${(beyond.lost * 100).toFixed(1)} %; its own socket dropped ${beyond.dropped} replies that ours had sent.`,
  );
}

/** Each server is warm when it is measured. */
async function measure(server: Server): Promise<Figures> {
  say(server.name);
  const lossOf = (kind: "new" | "renew") => (rate: number) =>
    1 - segment.generate(rate, SECONDS, kind).acks / (rate * SECONDS);
  segment.generate(WARM_UP_RATE, SECONDS);

  say(" new clients, by perfdhcp");
  const perfdhcp = searchRate((rate) => segment.perfdhcp(rate, SECONDS).lost, 2000);
  if (!segment.perfdhcp(Math.max(perfdhcp, 50), SECONDS).unique)
    say(`  ${server.name} gave an address twice, says perfdhcp`);
  const overflown = segment.overflown();
  const { sent, lost } = segment.perfdhcp(Math.round(Math.max(perfdhcp, 50) * 1.5), SECONDS);
  const beyond = { begun: sent, lost, dropped: segment.overflown() - overflown };

  say(" new clients");
  const peak = searchRate(lossOf("new"), Math.max(perfdhcp, 100));
  const cpuFor = (rate: number) => {
    const before = cpuSeconds(server.pid);
    const { acks } = segment.generate(rate, SECONDS);
    return ((cpuSeconds(server.pid) - before) * 1e6) / acks;
  };
  const cpu = cpuFor(Math.max(peak, 50));
  const cpuAt = new Map(USUAL_RATES.filter((rate) => rate <= peak).map((rate) => [rate, cpuFor(rate)]));
  const goodput = segment.generate(Math.max(peak, 50) * 3, SECONDS).rate;
  await delay(SETTLE_MS);
  say(" renewals");
  const renewals = searchRate(lossOf("renew"), Math.max(peak, 100));
  await server.stop();
  return { name: server.name, perfdhcp, beyond, peak, renewals, cpu, cpuAt, goodput };
}

function report(rows: Figures[], delays: Array<{ p50: number; p99: number }>, half: number): void {
  const whole = (value: number) => value.toFixed(0);
  const most = (of: (row: Figures) => number) => Math.max(...rows.slice(0, 2).map(of));
  const cells = rows.map((row, i) => [
    row.name,
    whole(row.perfdhcp),
    whole(row.peak),
    (row.peak / most((kea) => kea.peak)).toFixed(2),
    whole(row.renewals),
    (row.renewals / most((kea) => kea.renewals)).toFixed(2),
    whole(row.cpu),
    whole(row.goodput),
    (row.goodput / row.peak).toFixed(2),
    (delays[i]?.p50 ?? Number.NaN).toFixed(2),
    (delays[i]?.p99 ?? Number.NaN).toFixed(2),
  ]);
  console.log(
    table(
      [
        "exchanges a second",
        "perfdhcp",
        "new clients",
        "times Kea",
        "renewals",
        "times Kea",
        "CPU µs",
        "offered 3x",
        "of peak",
        "p50 ms",
        "p99 ms",
      ],
      cells,
    ),
  );
  for (const rate of USUAL_RATES) {
    const each = rows.map(({ name, cpuAt }) => `${name} ${cpuAt.get(rate)?.toFixed(0) ?? "beyond its peak"}`);
    console.log(`CPU µs for an exchange at ${rate} a second: ${each.join(", ")}`);
  }
  console.log(
    `\np50 and p99 are of whole exchanges at ${half} a second, half of Kea's best; dnsmasq's at half of its own.`,
  );
}
