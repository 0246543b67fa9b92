import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { median } from "./presence/figures.ts";
import { launchChromium } from "./tools/chromium.ts";
import { machine, table, whole } from "./tools/table.ts";

/** The board in a browser beside an empty page of the same shell, and many open streams beside bare ones. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const STREAMS = Number(process.env.BENCH_STREAMS ?? 1_000);
const PAGES = join(import.meta.dirname, "../services/presence/webapp/dist");

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
  readonly cookie: string;
  readonly streams: readonly string[];
  readonly ask: (message: object) => Promise<{ readonly bytes: number }>;
  readonly stop: () => void;
}

console.log(machine());
const browser = await launchChromium();
const boards: Array<readonly [number, Awaited<ReturnType<typeof boardOf>>]> = [];
for (const members of [500, 5_000]) boards.push([members, await boardOf(browser, members)] as const);
await browser.close();
const of = (figure: keyof Awaited<ReturnType<typeof boardOf>>) =>
  boards.map(([, figures]) => whole(figures[figure]));
console.log(
  table(
    ["", ...boards.map(([members]) => `${whole(members)} members`)],
    [
      ["first board on screen, ms", ...of("firstMs")],
      ["an empty page of the same shell, ms", ...of("emptyMs")],
      ["an update on screen, ms", ...of("updateMs")],
      ["the board on the wire, bytes", ...of("boardBytes")],
      ["an update on the wire, bytes", ...of("updateBytes")],
    ],
  ),
);
const [ours, bare] = [await streamsOf(5_000), await streamsOf(0)];
console.log(
  `\n${table(
    [`${whole(STREAMS)} open streams of one process`, "ours", "bare node:http"],
    [
      ["memory of each, KiB", whole(ours.bytes / 1_024), whole(bare.bytes / 1_024)],
      ["from a change to the last of them, ms", whole(ours.lastMs), whole(bare.lastMs)],
    ],
  )}`,
);

/** A process that serves a board of so many members; with none, bare streams. */
async function start(members: number): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-bench-"));
  const program = join(import.meta.dirname, "presence/board-service.ts");
  const child = fork(program, [folder, PAGES, String(members)], { execArgv: ["--expose-gc"] });
  const [{ port, cookie, streams }] = await once(child, "message");
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    cookie,
    streams,
    ask: async (message) => {
      const answered = once(child, "message");
      child.send(message);
      return (await answered)[0];
    },
    stop: () => {
      child.disconnect();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function boardOf(on: Browser, members: number) {
  const service = await start(members);
  const [name = "", value = ""] = service.cookie.split("=");
  const first: number[] = [];
  const empty: number[] = [];
  const update: number[] = [];
  let [boardBytes, updateBytes] = [0, 0];
  const context = await on.newContext({ viewport: { width: 1400, height: 900 } });
  await context.addCookies([{ name, value, url: service.url }]);
  for (let round = 0; round <= ROUNDS; round++) {
    const page = await context.newPage();
    const wire = await context.newCDPSession(page);
    let received = 0;
    const boards = new Set<string>();
    await wire.send("Network.enable");
    wire.on("Network.responseReceived", ({ requestId, response }) => {
      if (response.url.endsWith("/board")) boards.add(requestId);
    });
    wire.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (boards.has(requestId)) boardBytes = encodedDataLength;
    });
    wire.on("Network.dataReceived", ({ encodedDataLength, dataLength }) => {
      received += encodedDataLength || dataLength;
    });
    let begun = performance.now();
    await page.goto(`${service.url}/bench/board`);
    await page.getByText("A first").first().waitFor();
    // The first round fills the browser's caches.
    if (round > 0) first.push(performance.now() - begun);
    await page.waitForLoadState("networkidle").catch(() => {});
    received = 0;
    begun = performance.now();
    const note = `note-${round}${round % 2}`;
    const [, shown] = await Promise.all([
      service.ask({ kind: "set", note }),
      page
        .getByText(note)
        .first()
        .waitFor()
        .then(() => performance.now() - begun),
    ]);
    if (round > 0) update.push(shown);
    updateBytes = received;
    await page.close();
    const other = await context.newPage();
    begun = performance.now();
    await other.goto(`${service.url}/s/nothing`);
    await other.getByRole("heading").first().waitFor();
    if (round > 0) empty.push(performance.now() - begun);
    await other.close();
  }
  await context.close();
  service.stop();
  return {
    firstMs: median(first),
    emptyMs: median(empty),
    updateMs: median(update),
    boardBytes,
    updateBytes,
  };
}

async function streamsOf(members: number) {
  const service = await start(members);
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const before = (await service.ask({ kind: "memory" })).bytes;
  const waiting = new Map<number, (text: string) => void>();
  const open = (i: number) =>
    new Promise<void>((ready) => {
      const path = service.streams[i % service.streams.length] ?? "/";
      get(`${service.url}${path}`, { agent }, (response) => {
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          if (text.includes("event: hello")) ready();
          waiting.get(i)?.(text);
        });
        response.on("error", () => {});
      });
    });
  const all = Array.from({ length: STREAMS }, (_, i) => i);
  for (let from = 0; from < STREAMS; from += 100) await Promise.all(all.slice(from, from + 100).map(open));
  const bytes = ((await service.ask({ kind: "memory" })).bytes - before) / STREAMS;
  const last: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = performance.now();
    const heard = all.map(
      (i) =>
        new Promise<void>((done) => {
          waiting.set(i, (text) => text.includes("event: status") && done());
        }),
    );
    await service.ask({ kind: "set", note: `note-${round}${round % 2}` });
    await Promise.all(heard);
    if (round > 0) last.push(performance.now() - begun);
  }
  service.stop();
  return { bytes, lastMs: median(last) };
}
process.exit(0);
