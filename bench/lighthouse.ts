import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { avatarDesk } from "../e2e/avatar-desk.ts";
import { printDesk } from "../e2e/print-desk.ts";
import { machine, table, whole } from "./tools/table.ts";

/** Lighthouse on the first page of each console, as a computer and as a slow phone: the median of three runs. */
const RUNS = 3;
const CATEGORIES = { performance: 95, accessibility: 100, "best-practices": 100 };
const folder = join(import.meta.dirname, "lighthouse");
execFileSync("npm", ["install", "--no-save", "--loglevel=error"], { cwd: folder, stdio: "inherit" });

const ends: Array<() => unknown> = [];
const desk = { after: (end: () => unknown) => void ends.push(end) };
const consoles = {
  avatar: (await avatarDesk(desk)).consoleUrl,
  print: (await printDesk(desk)).url,
};
console.log(machine());
const rows: string[][] = [];
for (const [name, url] of Object.entries(consoles)) {
  for (const device of ["desktop", "mobile"]) {
    const scores: Array<Record<string, number>> = [];
    for (let run = 0; run < RUNS; run++) scores.push(await judge(url, device));
    const of = (category: string) => median(scores.map((score) => score[category] ?? 0));
    rows.push([
      `${name}, ${device}`,
      ...Object.entries(CATEGORIES).map(([category, wanted]) => `${whole(of(category))} (≥ ${wanted})`),
    ]);
  }
}
console.log(table(["first page of", ...Object.keys(CATEGORIES)], rows));
for (const end of ends.reverse()) await end();
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
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
      "--no-enable-error-reporting",
    ],
    { env: { ...process.env, CHROME_PATH: "/usr/bin/chromium" }, maxBuffer: 64 * 2 ** 20 },
  );
  const { categories, audits } = JSON.parse(stdout) as {
    categories: Record<string, { score: number }>;
    audits: Record<string, { id: string; title: string; score: number | null; scoreDisplayMode: string }>;
  };
  if (process.env.BENCH_AUDITS) {
    for (const { id, title, score } of Object.values(audits))
      if (score !== null && score < 1) console.error(`${url} ${device}: ${id} ${score} ${title}`);
  }
  return Object.fromEntries(
    Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)]),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
