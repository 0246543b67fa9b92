import { mkdirSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { STATE } from "../services/lease/engine/src/allocation/lease-table.ts";
import { SqliteStore } from "../services/lease/engine/src/store/sqlite-store.ts";
import { debianPrograms } from "../services/lease/engine/test/debian-programs.ts";
import { cpuSeconds, residentBytes, Segment, type Server } from "./dhcp/segment.ts";

/**
 * DHCPv4 beside Kea and dnsmasq: the same pool, the same generators, in turn, in one run.
 * `--quick` measures for a shorter time.
 */
const SECONDS = process.argv.includes("--quick") ? 2 : 6;
const MOST_LOST = 0.025;
const MOST_TRIED = 60_000;
const FULL = 1_038_090;
const PREFIX_12 = ["10.80.0.1", "10.95.255.255"] as const;

const found = debianPrograms({
  ip: "iproute2",
  "kea-dhcp4": "kea-dhcp4-server",
  perfdhcp: "kea-admin",
  dnsmasq: "dnsmasq-base",
});
if ("missing" in found) throw new Error(found.missing);

interface Figures {
  name: string;
  peak: number;
  cpu: number;
  goodput: number;
  ownPeak: number;
  p50: number;
  p99: number;
}

const rows: Figures[] = [];
let client = 1;
const say = (text: string) => console.error(text);
const fresh = (count: number) => {
  const from = client;
  client += count;
  return from;
};

/** The highest rate at which at most 2.5 % of the exchanges are lost, to about an eighth. */
function search(lossAt: (rate: number) => number, start: number): number {
  const holds = (rate: number) => {
    const lost = lossAt(Math.round(rate));
    say(`  ${Math.round(rate)} a second: ${(lost * 100).toFixed(1)} % lost`);
    return lost <= MOST_LOST;
  };
  let good = start;
  while (!holds(good)) {
    good /= 2;
    if (good < 20) return 0;
  }
  let bad = good * 2;
  while (bad < MOST_TRIED && holds(bad)) {
    good = bad;
    bad *= 2;
  }
  for (let n = 0; n < 3; n++) {
    const middle = (good + bad) / 2;
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

async function measure(segment: Segment, server: Server, halfOfKea: () => number): Promise<void> {
  say(server.name);
  const peak = Math.round(search((rate) => segment.perfdhcp(rate, SECONDS).lost, 2000));
  const before = cpuSeconds(server.pid);
  const atPeak = segment.perfdhcp(Math.max(peak, 50), SECONDS);
  const cpu = ((cpuSeconds(server.pid) - before) * 1e6) / (atPeak.rate * SECONDS);
  if (!atPeak.unique) say(`  ${server.name} gave an address twice, says perfdhcp`);
  const generated = (rate: number) => {
    const from = fresh(Math.ceil(rate * SECONDS));
    return segment.generate(rate, SECONDS, from);
  };
  const ownPeak = Math.round(
    search((rate) => 1 - generated(rate).acks / (rate * SECONDS), Math.max(peak, 100)),
  );
  const goodput = generated(Math.max(ownPeak, 50) * 3).rate;
  const at = generated(halfOfKea() || Math.max(50, peak / 2));
  rows.push({ name: server.name, peak, cpu, goodput, ownPeak, p50: at.p50, p99: at.p99 });
  await server.stop();
}

/** A store with this many leases in force, as if they had been given. */
function fill(path: string, from: number, count: number): void {
  const store = new SqliteStore(path);
  const now = Math.floor(Date.now() / 1000);
  for (let done = 0; done < count; done += 5000) {
    store.commit(
      Array.from({ length: Math.min(5000, count - done) }, (_, i) => {
        const n = done + i;
        return {
          kind: "put" as const,
          lease: {
            ip: from + n,
            state: STATE.bound,
            htype: 1,
            mac: Uint8Array.of(6, 0, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255),
            clientId: null,
            hostname: null,
            fqdn: null,
            vendor: null,
            classes: null,
            starts: now,
            until: now + 864_000,
            seen: now,
            giaddr: 0,
            circuitId: null,
            remoteId: null,
            nonce: null,
          },
        };
      }),
      [],
    );
  }
  store.close();
}

const segment = new Segment();
try {
  let kea = 0;
  if (!process.argv.includes("--million")) {
    await measure(segment, await segment.kea(1), () => 0);
    await measure(segment, await segment.kea(2), () => 0);
    kea = Math.max(...rows.map(({ peak }) => peak));
    const half = Math.round(kea / 2);
    await measure(segment, await segment.ours(), () => half);
    await measure(segment, await segment.dnsmasq(), () => 0);
    for (const threads of [1, 2]) {
      const server = await segment.kea(threads);
      const { p50, p99 } = segment.generate(half, SECONDS, fresh(half * SECONDS));
      Object.assign(rows[threads - 1] as Figures, { p50, p99 });
      await server.stop();
    }
    report(kea);
  }
  await million(segment);
  console.log(
    `${cpus().length} cores, ${cpus()[0]?.model || process.arch}, load ${loadavg()
      .map((x) => x.toFixed(1))
      .join(" ")}`,
  );
} finally {
  segment.close();
}

/** Memory, restart and new clients with a /12 that is 99 % full, beside the same pool empty. */
async function million(segment: Segment): Promise<void> {
  say("a million leases");
  // Two seconds of new clients must fit into the one per cent that is free.
  const offered = Math.min(5000, rows.find(({ name }) => name === "ours")?.ownPeak || 1000);
  const empty = await segment.ours("empty", PREFIX_12);
  const emptyBytes = residentBytes(empty.pid);
  const intoEmpty = segment.generate(offered, 2, fresh(offered * 2)).rate;
  await empty.stop();
  mkdirSync(join(segment.folder, "full/lease/engine"), { recursive: true });
  fill(join(segment.folder, "full/lease/engine/leases.db"), 0x0a500001, FULL);
  const full = await segment.ours("full", PREFIX_12);
  const seconds = Number(/"tookMs":([\d.]+)/.exec(full.output())?.[1]) / 1000;
  const bytes = (residentBytes(full.pid) - emptyBytes) / FULL;
  const intoFull = segment.generate(offered, 2, fresh(offered * 2)).rate;
  await full.stop();
  console.log(
    `ours with ${FULL} leases: ${bytes.toFixed(0)} bytes of RSS each, serving ${seconds.toFixed(2)} s after its start`,
  );
  console.log(
    `ours, ${offered} new clients a second offered to a /12: ${intoFull.toFixed(0)} a second when it is 99 % full, ${intoEmpty.toFixed(0)} when it is empty, ratio ${(intoFull / intoEmpty).toFixed(2)}`,
  );
}

function report(kea: number): void {
  // A server that answered nothing in time has no delays.
  const number = (value: number | null, digits = 0) =>
    Number.isFinite(value) ? Number(value).toFixed(digits) : "";
  const table = rows.map((row) => [
    row.name,
    number(row.peak),
    `${number(row.peak / kea, 2)} x`,
    number(row.ownPeak),
    number(row.cpu),
    number(row.goodput),
    number(row.goodput / row.ownPeak, 2),
    number(row.p50, 2),
    number(row.p99, 2),
  ]);
  const heads = [
    "server",
    "perfdhcp peak/s",
    "of Kea's best",
    "own generator peak/s",
    "CPU us",
    "goodput at 3x",
    "of its peak",
    "p50 ms",
    "p99 ms",
  ];
  const widths = heads.map((head, i) => Math.max(head.length, ...table.map((row) => (row[i] ?? "").length)));
  for (const row of [heads, ...table])
    console.log(
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join("  "),
    );
  console.log(
    `\np50 and p99 are of whole exchanges at ${Math.round(kea / 2)} a second (half of Kea's best; dnsmasq at half of its own).`,
  );
}
