import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Sink, startSink } from "./print/sink.ts";
import { memoryOf, type Subject, startBridge, startRelay } from "./print/subjects.ts";

/** The print bridge beside what would be there without it. All on loopback, all in one run. */
const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "1000" },
    load: { type: "string", default: "5000" },
    waiting: { type: "string", default: "10000" },
    kills: { type: "string", default: "1000" },
  },
});
const rows: string[][] = [];
const row = (...cells: string[]) => {
  rows.push(cells);
  console.log(cells.join("  |  "));
};
const label = (name: string, size = 300) => `^XA^FX${name};^FS^FO30,30^A0N,40,40^FD${"x".repeat(size)}^FS^XZ`;
const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const ms = (value: number) => `${value.toFixed(2)} ms`;

async function withSinks<T>(
  count: number,
  answers: boolean,
  work: (sinks: Sink[]) => Promise<T>,
): Promise<T> {
  const sinks = await Promise.all(Array.from({ length: count }, () => startSink(answers)));
  try {
    return await work(sinks);
  } finally {
    for (const sink of sinks) sink.stop();
  }
}

/** From the frame leaving the page to the first byte of the label at the printer, one job after another. */
async function latency(subject: Subject, sink: Sink, jobs: number): Promise<{ p50: number; p99: number }> {
  const line = await subject.connect();
  const times: number[] = [];
  for (let n = 0; n < jobs + 50; n++) {
    const arrived = new Promise<number>((resolve) => sink.whenLabel(() => resolve(performance.now())));
    const sentAt = performance.now();
    const jobId = await Promise.all([line.print("p0", label(`n${n}`)), arrived]).then(([id, at]) => {
      if (n >= 50) times.push(at - sentAt);
      return id;
    });
    await line.ended(jobId);
  }
  line.close();
  await subject.stop();
  times.sort((a, b) => a - b);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

/** Jobs a second from fifty connections to ten printers, until the last byte has arrived. */
async function throughput(subject: Subject, sinks: Sink[], jobs: number): Promise<number> {
  const lines = await Promise.all(Array.from({ length: 50 }, () => subject.connect(false)));
  const before = sinks.reduce((sum, sink) => sum + sink.labels, 0);
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    lines.map(async (line) => {
      for (let n = next++; n < jobs; n = next++) await line.print(`p${n % 10}`, label(`n${n}`));
    }),
  );
  while (sinks.reduce((sum, sink) => sum + sink.labels, 0) - before < jobs) await delay(1);
  const rate = jobs / ((performance.now() - startedAt) / 1000);
  for (const line of lines) line.close();
  await subject.stop();
  return rate;
}

/** A thousand jobs at once from twenty tabs: does each printer get them in the order they were accepted? */
async function arrivalOrder(): Promise<string> {
  return withSinks(4, true, async (sinks) => {
    const subject = await startBridge(sinks, "printer");
    const tabs = await Promise.all(Array.from({ length: 20 }, () => subject.connect()));
    const accepted: Array<{ n: number; order: number }> = [];
    const ids = await Promise.all(
      Array.from({ length: 1000 }, async (_, n) => {
        const tab = tabs[n % 20] as (typeof tabs)[0];
        const id = await tab.print(`p${n % 4}`, label(`n${n}`));
        accepted.push({ n, order: accepted.length });
        return { tab, id };
      }),
    );
    await Promise.all(ids.map(({ tab, id }) => tab.ended(id)));
    let inOrder = true;
    for (const [at, sink] of sinks.entries()) {
      const printed = sink.texts.map((text) => Number(/n(\d+);/.exec(text)?.[1]));
      // Within one tab the order of asking is known for certain.
      for (let tab = 0; tab < 20; tab++) {
        const mine = printed.filter((n) => n % 20 === tab);
        if (mine.some((n, index) => index > 0 && n < (mine[index - 1] as number))) inOrder = false;
      }
      if (printed.length !== 250 || printed.some((n) => n % 4 !== at)) inOrder = false;
    }
    for (const tab of tabs) tab.close();
    await subject.stop();
    return inOrder ? "yes" : "NO";
  });
}

/** The bridge's memory while ten thousand jobs of 100 KB wait for twenty printers that are paused. */
async function waitingMemory(jobs: number) {
  return withSinks(20, true, async (sinks) => {
    for (const { printer } of sinks) printer.set("paused", true);
    const subject = await startBridge(sinks, "printer");
    const lines = await Promise.all(Array.from({ length: 20 }, () => subject.connect(false)));
    const before = memoryOf(subject.child).now;
    let next = 0;
    await Promise.all(
      lines.map(async (line) => {
        for (let n = next++; n < jobs; n = next++) await line.print(`p${n % 20}`, label(`n${n}`, 100_000));
      }),
    );
    const after = memoryOf(subject.child);
    for (const line of lines) line.close();
    await subject.stop();
    return { before, ...after };
  });
}

console.log(
  `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`,
);

const first: Record<string, { p50: number; p99: number }> = {};
for (const make of [
  (sinks: Sink[]) => startRelay(sinks, false),
  (sinks: Sink[]) => startRelay(sinks, true),
  (sinks: Sink[]) => startBridge(sinks, "printer"),
]) {
  await withSinks(1, true, async (sinks) => {
    const subject = await make(sinks);
    const result = await latency(subject, sinks[0] as Sink, Number(values.jobs));
    first[subject.name] = result;
    row("print.raw to first byte", subject.name, `p50 ${ms(result.p50)}`, `p99 ${ms(result.p99)}`);
  });
}
const fsyncFirst = first["relay, one fsync"] as { p50: number; p99: number };
const bridgeFirst = first.bridge as { p50: number; p99: number };
row(
  "  bridge to one fsync",
  "at most 1.5",
  `p50 x${(bridgeFirst.p50 / fsyncFirst.p50).toFixed(2)}`,
  `p99 x${(bridgeFirst.p99 / fsyncFirst.p99).toFixed(2)}`,
);

const rate: Record<string, number> = {};
for (const make of [
  (sinks: Sink[]) => startRelay(sinks, false),
  (sinks: Sink[]) => startRelay(sinks, true),
  (sinks: Sink[]) => startBridge(sinks, "none"),
]) {
  await withSinks(10, false, async (sinks) => {
    const subject = await make(sinks);
    rate[subject.name] = await throughput(subject, sinks, Number(values.load));
    row(
      "50 connections, 10 printers",
      subject.name,
      `${Math.round(rate[subject.name] as number)} jobs/s`,
      "",
    );
  });
}
row(
  "  bridge to one fsync",
  "at least 0.5",
  `x${((rate.bridge as number) / (rate["relay, one fsync"] as number)).toFixed(2)}`,
  "",
);

row("1,000 jobs at once, 20 tabs", "in arrival order", await arrivalOrder(), "");
if (Number(values.waiting) > 0) {
  const { before, now, peak } = await waitingMemory(Number(values.waiting));
  row(
    `${values.waiting} jobs of 100 KB waiting`,
    "bridge memory",
    `${before} MiB before, ${now} MiB after`,
    `peak ${peak} MiB`,
  );
}
if (Number(values.kills) > 0) {
  const test = join(import.meta.dirname, "../services/print/bridge/test/kill.test.ts");
  const { stdout, status } = spawnSync(process.execPath, ["--test", test], {
    encoding: "utf8",
    env: { ...process.env, PRINT_KILLS: values.kills },
  });
  row(
    `${values.kills} kills`,
    status === 0 ? "no label twice" : "FAILED",
    /endings: (.*)/.exec(stdout)?.[1] ?? "",
    "",
  );
  if (status !== 0) console.log(stdout.slice(-3000));
}
const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((cells) => (cells[at] ?? "").length)));
console.log(
  `\n${rows.map((cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] as number)).join(" | ")} |`).join("\n")}`,
);
