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
    only: { type: "string", default: "first-byte,load,order,memory,kills" },
  },
});
const wanted = new Set(values.only.split(","));
const rows: string[][] = [];
const row = (...cells: string[]) => {
  rows.push(cells);
  console.log(cells.join("  |  "));
};
const label = (name: string, size = 300) => `^XA^FX${name};^FS^FO30,30^A0N,40,40^FD${"x".repeat(size)}^FS^XZ`;
const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
/** A bridge runs for weeks: what counts is code that the engine has compiled, on either side. */
const WARM_UP = 3_000;
const ROUNDS = 3;
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

interface Timed {
  readonly subject: Subject;
  readonly sink: Sink;
}

/**
 * From the frame leaving the page to the first byte of the label at the printer. The subjects take
 * turns job by job, so that whatever else the machine does falls on all of them alike.
 */
async function latency(timed: readonly Timed[], jobs: number): Promise<Array<{ p50: number; p99: number }>> {
  const lines = await Promise.all(timed.map(({ subject }) => subject.connect()));
  const times: number[][] = timed.map(() => []);
  for (let n = 0; n < jobs + WARM_UP; n++) {
    for (const [at, { sink }] of timed.entries()) {
      const line = lines[at] as (typeof lines)[0];
      const arrived = new Promise<number>((resolve) => sink.whenLabel(() => resolve(performance.now())));
      const sentAt = performance.now();
      const [jobId, arrivedAt] = await Promise.all([line.print("p0", label(`n${n}`)), arrived]);
      if (n >= WARM_UP) times[at]?.push(arrivedAt - sentAt);
      await line.ended(jobId);
    }
  }
  for (const line of lines) line.close();
  return times.map((list) => {
    list.sort((a, b) => a - b);
    return { p50: percentile(list, 0.5), p99: percentile(list, 0.99) };
  });
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
  return rate;
}

/** A thousand jobs at once from twenty tabs: does each printer get them in the order they were accepted? */
async function arrivalOrder(): Promise<string> {
  return withSinks(4, true, async (sinks) => {
    const subject = await startBridge(sinks, "printer");
    const tabs = await Promise.all(Array.from({ length: 20 }, () => subject.connect()));
    const names = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 1000 }, async (_, n) => {
        const tab = tabs[n % 20] as (typeof tabs)[0];
        const id = await tab.print(`p${n % 4}`, label(`n${n}`));
        names.set(id, n);
        await tab.ended(id);
      }),
    );
    for (const tab of tabs) tab.close();
    const accepted = (await subject.stop()).map((id) => names.get(id) as number);
    const inOrder = sinks.every(({ texts }, at) => {
      const printed = texts.map((text) => Number(/n(\d+);/.exec(text)?.[1]));
      const wanted = accepted.filter((n) => n % 4 === at);
      return printed.length === 250 && String(printed) === String(wanted);
    });
    // Within one tab the order of asking is known for certain.
    const asAsked = tabs.every((_, tab) => {
      const mine = accepted.filter((n) => n % 20 === tab);
      return mine.every((n, index) => index === 0 || n > (mine[index - 1] as number));
    });
    return inOrder && asAsked ? "yes" : "NO";
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

async function firstByte(sinks: readonly Sink[]): Promise<void> {
  const [one, two, three] = sinks as [Sink, Sink, Sink];
  const timed = [
    { subject: await startRelay([one], "none"), sink: one },
    { subject: await startRelay([two], "fsync"), sink: two },
    { subject: await startBridge([three], "printer"), sink: three },
  ];
  const results = await latency(timed, Number(values.jobs));
  for (const [at, { p50, p99 }] of results.entries()) {
    row("print.raw to first byte", timed[at]?.subject.name ?? "", `p50 ${ms(p50)}`, `p99 ${ms(p99)}`);
  }
  const [, fsync, bridge] = results as [unknown, { p50: number; p99: number }, { p50: number; p99: number }];
  row(
    "  bridge to one fsync",
    "at most 1.5",
    `p50 x${(bridge.p50 / fsync.p50).toFixed(2)}`,
    `p99 x${(bridge.p99 / fsync.p99).toFixed(2)}`,
  );
  for (const { subject } of timed) await subject.stop();
}

async function load(sinks: readonly Sink[]): Promise<void> {
  const groups = [0, 1, 2, 3].map((n) => sinks.slice(10 * n, 10 * n + 10));
  const [none, own, shared, ours] = groups as [Sink[], Sink[], Sink[], Sink[]];
  const subjects = [
    { subject: await startRelay(none, "none"), sinks: none, rates: [] as number[] },
    { subject: await startRelay(own, "fsync"), sinks: own, rates: [] as number[] },
    { subject: await startRelay(shared, "shared-fsync"), sinks: shared, rates: [] as number[] },
    { subject: await startBridge(ours, "none"), sinks: ours, rates: [] as number[] },
  ];
  // The first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { subject, sinks, rates } of subjects) {
      const rate = await throughput(subject, sinks, Number(values.load));
      if (round > 0) rates.push(rate);
    }
  }
  const medians = subjects.map(({ rates }) => rates.sort((a, b) => a - b)[ROUNDS >> 1] as number);
  for (const [at, { subject }] of subjects.entries()) {
    row(
      "50 connections, 10 printers",
      subject.name,
      `${Math.round(medians[at] as number)} jobs/s`,
      `median of ${ROUNDS}`,
    );
  }
  const [, fsync, together, bridge] = medians as [number, number, number, number];
  row("  bridge to one fsync", "at least 0.5", `x${(bridge / fsync).toFixed(2)}`, "");
  row("  bridge to shared fsyncs", "", `x${(bridge / together).toFixed(2)}`, "");
  for (const { subject } of subjects) await subject.stop();
}

if (wanted.has("first-byte")) await withSinks(3, true, firstByte);
if (wanted.has("load")) await withSinks(40, false, load);
if (wanted.has("order")) row("1,000 jobs at once, 20 tabs", "in arrival order", await arrivalOrder(), "");
if (wanted.has("memory")) {
  const { before, now, peak } = await waitingMemory(Number(values.waiting));
  row(
    `${values.waiting} jobs of 100 KB waiting`,
    "bridge memory",
    `${before} MiB before, ${now} MiB after`,
    `peak ${peak} MiB`,
  );
}
if (wanted.has("kills")) {
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
