import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { avatarDesk } from "../e2e/avatar-desk.ts";
import { presenceDesk } from "../e2e/presence-desk.ts";
import { printDesk } from "../e2e/print-desk.ts";
import { managerDesk } from "../services/lease/manager/test/manager-desk.ts";
import { chromiumPath } from "./tools/chromium.ts";
import { machine, table, whole } from "./tools/table.ts";

/**
 * Lighthouse on the first page of each console, or of those that are named, as a computer and as a slow phone: the median
 * of three runs. The services are those that `npm start` runs, each with its own transport: brotli on all, TLS on lease.
 */
const RUNS = 3;
const CATEGORIES = { performance: 95, accessibility: 100, "best-practices": 100 };
/** What the performance is judged by, in milliseconds. */
const TIMES = {
  "first-contentful-paint": "first paint, ms",
  "largest-contentful-paint": "largest paint, ms",
  "total-blocking-time": "blocked, ms",
};
const folder = join(import.meta.dirname, "lighthouse");
execFileSync("npm", ["install", "--no-save", "--loglevel=error"], { cwd: folder, stdio: "inherit" });

const ends: Array<() => unknown> = [];
const desk = { after: (end: () => unknown) => void ends.push(end) };
const consoles: Record<string, () => Promise<string>> = {
  avatar: async () => (await avatarDesk(desk)).consoleUrl,
  presence: async () => {
    const presence = await presenceDesk(desk);
    // Without an organisation its first page is another one.
    await presence.makeOrganisation(presence.firstRunLink());
    return presence.url;
  },
  print: async () => (await printDesk(desk)).url,
  lease: async () => (await managerDesk(desk)).url,
};
const wanted = process.argv.slice(2);
console.log(machine());
const rows: string[][] = [];
for (const [name, start] of Object.entries(consoles)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const url = await start();
  for (const device of ["desktop", "mobile"]) {
    const scores: Array<Record<string, number>> = [];
    for (let run = 0; run < RUNS; run++) scores.push(await judge(url, device));
    const of = (category: string) => median(scores.map((score) => score[category] ?? 0));
    rows.push([
      `${name}, ${device}`,
      ...Object.entries(CATEGORIES).map(([category, wanted]) => `${whole(of(category))} (≥ ${wanted})`),
      ...Object.keys(TIMES).map((time) => whole(of(time))),
    ]);
  }
}
console.log(table(["first page of", ...Object.keys(CATEGORIES), ...Object.values(TIMES)], rows));
// In the order in which they were asked for, as the test runner does.
for (const end of ends) await end();
process.exit(0);

async function judge(url: string, device: string): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(folder, "node_modules/lighthouse/cli/index.js"),
      url,
      "--quiet",
      "--output=json",
      `--only-categories=${Object.keys(CATEGORIES).join(",")}`,
      ...(device === "desktop" ? ["--preset=desktop"] : []),
      // The lease console's certificate is of its own home's authority.
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu --ignore-certificate-errors",
      "--no-enable-error-reporting",
    ],
    { env: { ...process.env, CHROME_PATH: chromiumPath() }, maxBuffer: 64 * 2 ** 20 },
  );
  const { categories, audits } = JSON.parse(stdout) as {
    categories: Record<string, { score: number }>;
    audits: Record<string, { id: string; title: string; score: number | null; numericValue?: number }>;
  };
  if (process.env.BENCH_AUDITS) {
    for (const { id, title, score } of Object.values(audits))
      if (score !== null && score < 1) console.error(`${url} ${device}: ${id} ${score} ${title}`);
  }
  return Object.fromEntries([
    ...Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)] as const),
    ...Object.keys(TIMES).map((name) => [name, audits[name]?.numericValue ?? 0] as const),
  ]);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
