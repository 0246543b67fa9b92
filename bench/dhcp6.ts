import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { cpuSeconds, residentBytes, type Server } from "./dhcp/cable.ts";
import { fillLeases6 } from "./dhcp/filled-store6.ts";
import { searchRate } from "./dhcp/search-rate.ts";
import { type LeaseKind, Segment6 } from "./dhcp/segment6.ts";
import { machine, table } from "./tools/table.ts";

/**
 * DHCPv6 beside Kea, by perfdhcp and by our own generator: the same pools, in turn, in one run. `--quick` measures for a shorter time;
 * `--million` only what many leases cost.
 */
const SECONDS = process.argv.includes("--quick") ? 2 : 4;
const KINDS: readonly LeaseKind[] = ["address-only", "prefix-only", "address-and-prefix"];
/** At which processor time is compared: all servers can do it. */
const USUAL_RATE = 1000;
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

interface Figures {
  readonly name: string;
  /** For each kind. */
  readonly perfdhcp: number[];
  readonly peaks: number[];
  readonly cpu: number[];
  readonly renewals: number;
  readonly cpuAt: number;
}

async function compare(): Promise<void> {
  const servers = [() => segment.kea(1), () => segment.kea(2), () => segment.ours()];
  const rows: Figures[] = [];
  for (const start of servers) rows.push(await measure(await start()));
  const best = (of: (row: Figures) => number) => Math.max(...rows.slice(0, 2).map(of));
  const beside = (of: (row: Figures) => number) => (row: Figures) => [
    of(row).toFixed(0),
    (of(row) / best(of)).toFixed(2),
  ];
  for (const [i, kind] of KINDS.entries()) {
    const cells = rows.map((row) => [
      row.name,
      ...beside(({ perfdhcp }) => perfdhcp[i] as number)(row),
      ...beside(({ peaks }) => peaks[i] as number)(row),
      (row.cpu[i] as number).toFixed(0),
    ]);
    console.log(
      `\n${table([`${kind}, exchanges a second`, "perfdhcp", "times Kea", "new clients", "times Kea", "CPU µs at the peak"], cells)}`,
    );
  }
  const cells = rows.map((row) => [
    row.name,
    ...beside(({ renewals }) => renewals)(row),
    row.cpuAt.toFixed(0),
  ]);
  console.log(
    `\n${table(["addresses", "renewals a second", "times Kea", `CPU µs at ${USUAL_RATE}`], cells)}`,
  );
}

/** Each server is warm when it is measured. */
async function measure(server: Server): Promise<Figures> {
  say(server.name);
  segment.perfdhcp(USUAL_RATE, SECONDS, "address-only");
  const cpuOf = (rate: number, kind: LeaseKind) => {
    const before = cpuSeconds(server.pid);
    const { acks } = segment.generate(Math.max(rate, 50), SECONDS, kind);
    return ((cpuSeconds(server.pid) - before) * 1e6) / acks;
  };
  const lossOf = (kind: LeaseKind, what: "new" | "renew") => (rate: number) =>
    1 - segment.generate(rate, SECONDS, kind, what).acks / (rate * SECONDS);
  const of = KINDS.map((kind) => {
    say(` ${kind}, by perfdhcp`);
    const perfdhcp = searchRate((rate) => segment.perfdhcp(rate, SECONDS, kind).lost, 1000);
    say(` ${kind}`);
    const peak = searchRate(lossOf(kind, "new"), Math.max(perfdhcp, 100));
    return { perfdhcp, peak, cpu: cpuOf(peak, kind) };
  });
  const cpuAt = cpuOf(USUAL_RATE, "address-only");
  say(" renewals");
  const renewals = searchRate(lossOf("address-only", "renew"), Math.max(of[0]?.peak ?? 0, 100));
  await server.stop();
  return {
    name: server.name,
    perfdhcp: of.map(({ perfdhcp }) => perfdhcp),
    peaks: of.map(({ peak }) => peak),
    cpu: of.map(({ cpu }) => cpu),
    renewals,
    cpuAt,
  };
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
