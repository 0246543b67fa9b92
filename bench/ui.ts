import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { launchChromium } from "./tools/chromium.ts";
import { machine, table, whole } from "./tools/table.ts";
import { rowServer } from "./ui/server.ts";

/** The consoles' long table with 100,000 rows from a server, beside the same page with none. */
const ROWS = 100_000;
const UPDATES_PER_SECOND = 100;
const LIVE_SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const KEYSTROKES = 20;

const root = join(import.meta.dirname, "ui");
const folder = mkdtempSync(join(tmpdir(), "frontdesk-bench-ui-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({ root, build: { outDir: folder }, logLevel: "error" });
const browser = await launchChromium("--enable-precise-memory-info");
console.log(machine());
const full = await measure(browser, ROWS);
const empty = await measure(browser, 0);
await browser.close();
const row = (name: string, of: (each: typeof full) => string) => [name, of(full), of(empty)];
console.log(
  table(
    ["", `${whole(ROWS)} rows`, "empty table"],
    [
      row("first rows after the address, ms", ({ firstMs }) => whole(firstMs)),
      row(
        "frames dropped of those due while scrolling",
        ({ scroll }) => `${scroll.dropped} of ${scroll.due}`,
      ),
      row(
        "key in the filter to rows, ms, p50 / p95",
        ({ keys }) => `${whole(at(keys, 0.5))} / ${whole(at(keys, 0.95))}`,
      ),
      row(`key to letter with ${UPDATES_PER_SECOND} updates a second, ms, p95`, ({ live }) =>
        whole(at(live.delays, 0.95)),
      ),
      row(
        `memory at the start and after ${LIVE_SECONDS} s of updates, MiB`,
        ({ live }) => `${live.before.toFixed(1)} -> ${live.after.toFixed(1)}`,
      ),
    ],
  ),
);
process.exit(0);

async function measure(on: Browser, rows: number) {
  const server = await rowServer({ folder, rows, updatesPerSecond: UPDATES_PER_SECOND });
  const page = await on.newPage({ viewport: { width: 1440, height: 900 } });
  // Once before: the browser's own caches are warm in both.
  await page.goto(server.url);
  await ready(page, rows);
  const startedAt = performance.now();
  await page.goto(server.url);
  await ready(page, rows);
  const firstMs = performance.now() - startedAt;
  const scroll = rows > 0 ? await scrolled(page) : { dropped: 0, due: 0 };
  const keys = await keystrokes(page, rows);
  await page.goto(`${server.url}/?live=yes`);
  await ready(page, rows);
  const live = await underUpdates(page);
  await page.close();
  server.close();
  return { firstMs, scroll, keys, live };
}

function ready(page: Page, rows: number): Promise<void> {
  return page
    .getByText(rows > 0 ? "10.0.0.0" : "Nothing here yet", { exact: true })
    .first()
    .waitFor();
}

/** Flicks through some thousand rows; a frame that took longer than its turn dropped those it covered. */
function scrolled(page: Page): Promise<{ dropped: number; due: number }> {
  return page.evaluate(
    () =>
      new Promise<{ dropped: number; due: number }>((resolve) => {
        const startedAt = performance.now();
        let last = startedAt;
        let dropped = 0;
        let due = 0;
        const frame = (now: number) => {
          const covered = Math.max(1, Math.round((now - last) / (1_000 / 60)));
          due += covered;
          dropped += covered - 1;
          last = now;
          window.scrollBy(0, 60);
          if (now - startedAt < 10_000) requestAnimationFrame(frame);
          else resolve({ dropped, due });
        };
        requestAnimationFrame(frame);
      }),
  );
}

/** From a key in the filter until its rows are drawn. */
async function keystrokes(page: Page, rows: number): Promise<number[]> {
  const times: number[] = [];
  const search = page.getByLabel("Search");
  for (let round = 0; round < KEYSTROKES; round++) {
    const words = `10.0.${round}.`;
    await search.fill(words.slice(0, -1));
    await page.waitForTimeout(300);
    const startedAt = performance.now();
    await search.press("End");
    await search.press(".");
    if (rows > 0) await page.getByText(`${words}0`, { exact: true }).first().waitFor();
    else await page.getByText("Nothing fits").waitFor();
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function underUpdates(page: Page) {
  const memory = async () => {
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    await session.detach();
    return usedSize / 2 ** 20;
  };
  await delay(5_000);
  const before = await memory();
  const delays: number[] = [];
  const search = page.getByLabel("Search");
  for (const endsAt = Date.now() + LIVE_SECONDS * 1_000; Date.now() < endsAt; ) {
    delays.push(
      await search.evaluate(
        (input: HTMLInputElement) =>
          new Promise<number>((resolve) => {
            const startedAt = performance.now();
            input.focus();
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)));
          }),
      ),
    );
    await delay(200);
  }
  return { before, after: await memory(), delays };
}

function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
