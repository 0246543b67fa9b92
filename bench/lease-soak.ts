import { mkdirSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { LabClients, macOf } from "../services/lease/engine/test/lab-clients.ts";
import { managerDesk, PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { fillLeases } from "./dhcp/filled-store.ts";
import { launchChromium } from "./tools/chromium.ts";
import { machine, table } from "./tools/table.ts";

/**
 * Manager, engine and console with 50,000 leases while clients come and go: what memory does, and whether
 * the live stream tells of every event. `--seconds 60` for a shorter time than five minutes.
 */
const LEASES = 50_000;
const SECONDS = Number(process.argv[process.argv.indexOf("--seconds") + 1]) || 300;
const CHANGES_PER_SECOND = 50;
const LOOK_EVERY_S = 10;
/** Before it, caches fill and code is compiled. */
const WARM_UP_S = 60;
const POOL = `[[subnet]]\nnetwork = "10.64.0.0/10"\n\n  [[subnet.pool]]\n  range = "10.80.0.1 - 10.95.255.255"\n`;

const closing: Array<() => unknown> = [];
const scope = { after: (close: () => unknown) => void closing.push(close) };

console.log(machine());
try {
  await soak();
} finally {
  // As a test does it: the engine ends before its folder goes.
  for (const close of closing) await close();
}

async function soak(): Promise<void> {
  const desk = await managerDesk(
    scope,
    {},
    {
      subnet: POOL,
      prepare: (home) => {
        const folder = join(home, "lease/engine");
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        fillLeases(join(folder, "leases.db"), LEASES, true);
      },
    },
  );
  const call = await desk.signedIn();
  const engine = (await call("GET", "engine/status")).json.process.pid as number;
  const numbers = followStream(desk, call.cookie);
  const page = await openLeases(desk.url);
  const heap = await page.context().newCDPSession(page);
  const pageBytes = async () => {
    await heap.send("HeapProfiler.collectGarbage");
    const { usedSize } = await heap.send("Runtime.getHeapUsage");
    return usedSize / 2 ** 20;
  };

  const looks: Array<{ at: number; manager: number; engine: number; page: number }> = [];
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const churn = comeAndGo(desk.dhcp, () => seconds() >= SECONDS);
  while (seconds() < SECONDS) {
    await delay(LOOK_EVERY_S * 1000);
    const [manager, ours] = [residentMiB(desk.process.child.pid as number), residentMiB(engine)];
    const look = { at: seconds(), manager, engine: ours, page: await pageBytes() };
    looks.push(look);
    console.error(
      Object.entries(look)
        .map(([name, value]) => `${name} ${value.toFixed(1)}`)
        .join(", "),
    );
  }
  const done = await churn;
  const { total } = (await call("GET", "leases?limit=1")).json;
  await page.getByText(`${new Intl.NumberFormat("en").format(total)} rows`).waitFor();
  const newest = (await call("GET", "lease-events?limit=1")).json.items[0].id as number;
  for (let tries = 0; tries < 100 && numbers.at(-1) !== newest; tries++) await delay(50);

  const warm = looks.filter(({ at }) => at >= Math.min(WARM_UP_S, SECONDS / 2));
  const third = Math.ceil(warm.length / 3);
  const mean = (of: "manager" | "engine" | "page", part: typeof warm) =>
    part.reduce((sum, look) => sum + look[of], 0) / part.length;
  const rows = (["manager", "engine", "page"] as const).map((of) => {
    const [first, last] = [mean(of, warm.slice(0, third)), mean(of, warm.slice(-third))];
    return [of, first.toFixed(1), last.toFixed(1), (last / first).toFixed(2)];
  });
  console.log(table(["MiB", "first third after the warm-up", "last third", "ratio"], rows));
  const missed = numbers.filter((number, n) => n > 0 && number !== (numbers[n - 1] as number) + 1).length;
  console.log(
    `${Math.round(seconds())} s, ${done.granted} granted, ${done.released} released, ${done.failed} failed. ` +
      `The stream told ${numbers.length} events up to ${numbers.at(-1)} of ${newest}, ${missed} gaps. The console showed ${total} rows.`,
  );
  if (missed > 0 || numbers.at(-1) !== newest) process.exitCode = 1;
}

/** The numbers of the events that the live stream tells of. */
function followStream({ port, ca }: { port: number; ca: string }, cookie: string): number[] {
  const numbers: number[] = [];
  const url = `https://127.0.0.1:${port}/api/v1/stream`;
  const sent = request(url, { ca, servername: "localhost", headers: { cookie } }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const blocks = (text + chunk).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const id = /^id: (\d+)$/m.exec(block)?.[1];
        if (id && /^event: lease$/m.test(block)) numbers.push(Number(id));
      }
    });
    response.on("error", () => {});
  });
  sent.on("error", (error) => console.error(`the stream broke: ${error.message}`));
  sent.end();
  closing.push(() => sent.destroy());
  return numbers;
}

async function openLeases(url: string) {
  const browser = await launchChromium();
  closing.push(() => browser.close());
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width: 1440, height: 900 },
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel("User name").fill("admin");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  const menu = page.getByRole("navigation", { name: "Pages" });
  await menu.getByRole("link", { name: "Leases", exact: true }).click();
  await page.getByText("50,000 rows").waitFor();
  return page;
}

/** New clients take an address, and one that has one gives it back, in turn. */
async function comeAndGo(port: number, isOver: () => boolean) {
  const clients = await LabClients.open(port);
  closing.push(() => clients.close());
  const told = { granted: 0, released: 0, failed: 0 };
  const holding: Array<{ mac: string; ip: string }> = [];
  for (let n = 0; !isOver(); n++) {
    await delay(1000 / CHANGES_PER_SECOND);
    const leaving = n % 2 === 1 ? holding.shift() : undefined;
    if (leaving) {
      // Nobody answers a RELEASE.
      void clients.ask(
        TYPE.release,
        leaving.mac,
        [[CODE.serverIdentifier, u32Bytes(0x7f000001)]],
        leaving.ip,
        10,
      );
      told.released++;
      continue;
    }
    const mac = macOf(n);
    if (await clients.join(mac)) {
      told.granted++;
      const ip = clients.acked.splice(0).at(-1)?.ip;
      if (ip) holding.push({ mac, ip });
    } else told.failed++;
  }
  return told;
}

function residentMiB(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}
