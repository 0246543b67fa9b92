import { mkdirSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readConfig } from "@frontdesk/lease-config/validate";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import type { Page } from "playwright-core";
import { listLeases } from "../services/lease/engine/src/control/lease-list.ts";
import { eventView } from "../services/lease/engine/src/control/lease-view.ts";
import { History } from "../services/lease/engine/src/store/history.ts";
import { LabClients } from "../services/lease/engine/test/lab-clients.ts";
import { managerDesk, PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { FIRST, fillEvents, fillLeases } from "./dhcp/filled-store.ts";
import { launchChromium } from "./tools/chromium.ts";
import { machine, table } from "./tools/table.ts";

/**
 * Lists beside the bare SQL that reads the same rows: made in the same process, and asked for over https (browser, manager,
 * engine). Then the console in a browser beside an empty table. `--quick` with fewer events, `--lists` without the browser.
 */
const LEASES = 100_000;
const EVENTS = process.argv.includes("--quick") ? 500_000 : 10_000_000;
const DAYS = 90;
/** Of a running service: its code is compiled before the first that counts. */
const WARM_UP = 200;
const REPEATED = 200;
const KEYS = 40;
const POOL = `[[subnet]]\nnetwork = "10.64.0.0/10"\n\n  [[subnet.pool]]\n  range = "10.80.0.1 - 10.95.255.255"\n`;

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.floor((sorted.length - 1) * share)] as number;
const ms = (sorted: readonly number[], share: number) => at(sorted, share).toFixed(1);
const closing: Array<() => unknown> = [];
const scope = { after: (close: () => unknown) => void closing.push(close) };

console.log(machine());
try {
  await reportLists();
  if (!process.argv.includes("--lists")) await reportBrowser();
} finally {
  // As a test does it: the engine ends before its folder goes.
  for (const close of closing) await close();
}

/** A manager with an engine whose store holds so many leases and events. */
async function filledDesk(leases: number, events: number) {
  return managerDesk(
    scope,
    {},
    {
      subnet: POOL,
      prepare: (home) => {
        const folder = join(home, "lease/engine");
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const store = join(folder, "leases.db");
        const step = Math.floor((DAYS * 86_400_000) / EVENTS);
        // None of today: after a start the manager looks whether each device that came today is new, and that is not measured here.
        const midnight = new Date().setHours(0, 0, 0, 0);
        fillEvents(store, events, midnight - events * step, step);
        fillLeases(store, leases, true);
      },
    },
  );
}

type Desk = Awaited<ReturnType<typeof filledDesk>>;

async function reportLists(): Promise<void> {
  console.error(`${LEASES} leases, ${EVENTS} events`);
  const desk = await filledDesk(LEASES, EVENTS);
  const { cookie } = await desk.signedIn();
  const path = join(desk.home, "lease/engine/leases.db");
  const store = new DatabaseSync(path, { readOnly: true });
  const history = new History(path);
  const config = readConfig(`[server]\nlisten = ["127.0.0.1:6767"]\n\n${POOL}`);
  const leases = (query: Parameters<typeof listLeases>[0]) =>
    listLeases(query, history.leases, config, { now: Date.now(), offset: history.clockOffset() });
  const events = (ip?: number) => {
    const { items, nextCursor } = history.events.page({ limit: 100, ...(ip === undefined ? {} : { ip }) });
    return { items: items.map(eventView), next_cursor: nextCursor ?? null, last: history.events.last() };
  };
  const all = (sql: string, ...values: Array<string | number>) => store.prepare(sql).all(...values);
  const found = "hostname LIKE ?1 OR fqdn LIKE ?1 OR vendor LIKE ?1 OR classes LIKE ?1";
  const address = FIRST + 4711;
  // Another text each time: how many a search finds is remembered until something is written.
  const hits = (n: number) => `host-${10 + (n % 90)}`;
  const noHits = (n: number) => `nowhere${n}`;
  const middle = formatIpv4(FIRST + 50_000);
  const questions: Array<
    [name: string, path: (n: number) => string, ours: (n: number) => unknown, bare: (n: number) => unknown]
  > = [
    [
      "leases, first page",
      () => "leases?limit=100",
      () => leases({ limit: 100 }),
      () => [all("SELECT count(*) FROM lease"), all("SELECT * FROM lease ORDER BY ip LIMIT 101")],
    ],
    [
      "leases, page 500",
      () => `leases?limit=100&cursor=${middle}`,
      () => leases({ limit: 100, cursor: middle }),
      () => [
        all("SELECT count(*) FROM lease"),
        all("SELECT * FROM lease WHERE ip > ? ORDER BY ip LIMIT 101", FIRST + 50_000),
      ],
    ],
    [
      "leases, search with 1,111 hits",
      (n) => `leases?limit=100&q=${hits(n)}`,
      (n) => leases({ limit: 100, q: hits(n) }),
      (n) => [
        all(`SELECT count(*) FROM lease WHERE ${found}`, `%${hits(n)}%`),
        all(`SELECT * FROM lease WHERE ${found} ORDER BY ip LIMIT 101`, `%${hits(n)}%`),
      ],
    ],
    [
      "leases, search without a hit",
      (n) => `leases?limit=100&q=${noHits(n)}`,
      (n) => leases({ limit: 100, q: noHits(n) }),
      (n) => [
        all(`SELECT count(*) FROM lease WHERE ${found}`, `%${noHits(n)}%`),
        all(`SELECT * FROM lease WHERE ${found} ORDER BY ip LIMIT 101`, `%${noHits(n)}%`),
      ],
    ],
    [
      "events, newest 100",
      () => "lease-events?limit=100",
      () => events(),
      () => all("SELECT * FROM event ORDER BY id DESC LIMIT 101"),
    ],
    [
      "events of one address",
      () => `lease-events?limit=100&ip=${formatIpv4(address)}`,
      () => events(address),
      () => all("SELECT * FROM event WHERE ip = ? ORDER BY id DESC LIMIT 101", address),
    ],
  ];
  const rows: string[][] = [];
  for (const [name, path, ours, bare] of questions) {
    await times(WARM_UP, (n) => get(desk, cookie, path(n)));
    const rest = await times(REPEATED, (n) => get(desk, cookie, path(n)));
    const count = name.includes("one address") ? 3 : REPEATED;
    await times(Math.min(WARM_UP, count), async (n) => JSON.stringify([ours(n), bare(n)]));
    const made = await times(REPEATED, async (n) => JSON.stringify(ours(n)));
    const sql = await times(count, async (n) => JSON.stringify(bare(n)));
    const ratio = (one: readonly number[]) => (at(one, 0.5) / at(sql, 0.5)).toFixed(2);
    rows.push([name, ms(sql, 0.5), ms(made, 0.5), ratio(made), ms(rest, 0.5), ms(rest, 0.99), ratio(rest)]);
  }
  history.close();
  store.close();
  console.log(
    table(
      ["ms, p50", "bare SQL", "ours, same process", "times", "over https", "its p99", "times the bare SQL"],
      rows,
    ),
  );
}

function get(desk: Desk, cookie: string, path: string): Promise<unknown> {
  const { port, ca } = desk;
  return new Promise((resolve, reject) => {
    const url = `https://127.0.0.1:${port}/api/v1/${path}`;
    const sent = request(url, { ca, servername: "localhost", headers: { cookie } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () =>
        response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text)),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

async function reportBrowser(): Promise<void> {
  const browser = await launchChromium();
  closing.push(() => browser.close());
  const rows: string[][] = [];
  for (const leases of [LEASES, 0]) {
    console.error(`in the browser: ${leases} leases`);
    const desk = await filledDesk(leases, 0);
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: { width: 1440, height: 900 },
    });
    const page = await context.newPage();
    await page.goto(desk.url);
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Leases", exact: true })
      .click();
    const clients = await LabClients.open(desk.dhcp);
    closing.push(() => clients.close());
    const granted = await times(20, async (n) => {
      const mac = `02:aa:00:00:00:${n.toString(16).padStart(2, "0")}`;
      const answered = page.waitForResponse((response) => response.url().includes(encodeURIComponent(mac)));
      await page.getByRole("searchbox").fill(mac);
      await answered;
      const startedAt = performance.now();
      if (!(await clients.join(mac))) throw new Error("no lease was granted");
      await page.getByRole("row").filter({ hasText: mac }).first().waitFor();
      return performance.now() - startedAt;
    });
    const keys = leases > 0 ? await keystrokes(page) : [];
    rows.push([
      String(leases),
      keys.length > 0 ? `${ms(keys, 0.5)} / ${ms(keys, 0.99)}` : "",
      `${ms(granted, 0.5)} / ${ms(granted, 0.99)}`,
    ]);
    await context.close();
  }
  console.log(table(["leases", "key to rows, p50 / p99 ms", "grant to row, p50 / p99 ms"], rows));
}

/** From a key in the search box until the rows that fit are drawn. */
async function keystrokes(page: Page): Promise<number[]> {
  const box = page.getByRole("searchbox");
  await box.fill("host-7000");
  await page.getByRole("row").filter({ hasText: "host-7000" }).first().waitFor();
  const taken: number[] = [];
  for (let n = 0; n < KEYS; n++) {
    const digit = String(n % 10);
    await box.fill("host-7000");
    await page.getByText("host-70001", { exact: true }).waitFor();
    const took = page.evaluate(
      (wanted) =>
        new Promise<number>((resolve) => {
          const startedAt = performance.now();
          const look = () => {
            const names = [...document.querySelectorAll("[role=row], tbody tr")].map(
              (row) => row.textContent ?? "",
            );
            const shown = names.filter((text) => text.includes("host-"));
            if (shown.length > 0 && shown.every((text) => text.includes(wanted)))
              resolve(performance.now() - startedAt);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        }),
      `host-7000${digit}`,
    );
    await box.press(digit);
    taken.push(await took);
  }
  return taken.sort((a, b) => a - b);
}

async function times(count: number, once: (n: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    const own = await once(n);
    taken.push(typeof own === "number" ? own : performance.now() - startedAt);
  }
  return taken.sort((a, b) => a - b);
}
