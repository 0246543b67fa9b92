import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startChromium } from "@frontdesk/testkit/chromium";
import { debianProgram } from "@frontdesk/testkit/debian";
import type { Page } from "playwright-core";
import { openJournal } from "../../bridge/src/adapters/sqlite-journal.ts";
import { bridgeProcess } from "../../bridge/test/bridge-process.ts";
import { LABEL, simulator, until } from "../../bridge/test/support.ts";

const COMMAND_LINE = fileURLToPath(new URL("../../bridge/src/command-line.ts", import.meta.url));

/** A shop's page, as its author would write it: no bundler, the client straight from the bridge. */
const page = (bridge: string) => `<!doctype html><title>Shop</title><p id="code"></p>
<script type="module">
  import { FrontdeskPrint } from "https://${bridge}/client/frontdesk-print.js";
  const seen = (window.seen = { events: [], disconnected: 0, connected: 0 });
  const print = (window.print_ = new FrontdeskPrint({ appName: "Shop", url: "wss://${bridge}/ws" }));
  print.on("pairing", ({ code }) => (document.querySelector("#code").textContent = code));
  print.on("job.update", (job, seq) => seen.events.push({ seq, id: job.job_id, state: job.state }));
  print.on("connected", () => seen.connected++);
  print.on("disconnected", () => seen.disconnected++);
  print.connect();
</script>`;

async function site(bridge: string): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(page(bridge));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => void server.close().closeAllConnections());
  return (server.address() as { port: number }).port;
}

interface Seen {
  readonly events: Array<{ seq: number; id: string; state: string }>;
  readonly connected: number;
  readonly disconnected: number;
}
const seenBy = (page: Page) => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
const printFrom = (page: Page, data: string) =>
  page.evaluate(
    async (label) =>
      (
        await (
          globalThis as unknown as { print_: { printRaw(p: string, d: string): Promise<{ jobId: string }> } }
        ).print_.printRaw("dock", label)
      ).jobId,
    data,
  );

test("a page pairs, prints over wss with the trusted authority, sees job.update live, and survives a bridge that is killed and one that is restarted, with no event lost", async (t) => {
  if (!debianProgram(t, "certutil", "libnss3-tools")) return;
  const sim = await simulator(t);
  const b = await bridgeProcess(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const trusted = spawnSync(process.execPath, [COMMAND_LINE, "trust", "--browsers-only"], {
    env: { PATH: process.env.PATH, FRONTDESK_HOME: b.home, HOME: b.home },
    encoding: "utf8",
  });
  assert.equal(trusted.status, 0, trusted.stderr);
  await b.start();
  const browser = await startChromium(t, { env: { HOME: b.home } });
  if (!browser) return;
  const shop = await browser.newPage();
  const origin = `http://localhost:${await site(`127.0.0.1:${b.port}`)}`;
  await shop.goto(origin);
  await until("the page shows its code", async () =>
    /^[A-Z2-9]{6}$/.test((await shop.textContent("#code")) ?? ""),
  );
  const shown = await shop.textContent("#code");
  assert.deepEqual(
    (await b.pairings()).map((pairing) => [pairing.origin, pairing.code, pairing.appName]),
    [[origin, shown, "Shop"]],
  );
  b.access.approve(origin, { code: shown ?? "" });
  await until("the page is connected", async () => (await seenBy(shop)).connected === 1);

  const first = await printFrom(shop, LABEL);
  await until("the end is told live", async () =>
    (await seenBy(shop)).events.some(({ id, state }) => id === first && state === "Done"),
  );
  assert.equal(sim.printer.labels.length, 1);

  sim.printer.set("head-open", true);
  const held = await printFrom(shop, LABEL);
  await until("it is told held", async () =>
    (await seenBy(shop)).events.some(({ id, state }) => id === held && state === "Held"),
  );
  await b.kill();
  await until("the page noticed", async () => (await seenBy(shop)).disconnected === 1);
  sim.printer.set("head-open", false);
  await b.start();
  await until("the job is told to its end", async () =>
    (await seenBy(shop)).events.some(
      ({ id, state }) => id === held && state !== "Held" && ["Done", "Unknown", "Failed"].includes(state),
    ),
  );
  await b.stop();
  await until("the page noticed again", async () => (await seenBy(shop)).disconnected === 2);
  const during = printFrom(shop, LABEL);
  await b.start();
  const last = await during;
  await until("what was asked while it was away is printed", async () =>
    (await seenBy(shop)).events.some(({ id, state }) => id === last && state === "Done"),
  );

  const { events } = await seenBy(shop);
  await b.stop();
  const journal = openJournal(`${b.folder}/queue.db`, { now: () => Date.now() });
  t.after(() => journal.close());
  const newest = journal.eventsSince(0, 10_000, origin).filter(({ event }) => event === "job.update");
  const told = events.map(({ seq }) => seq);
  assert.deepEqual(
    told,
    [...new Set(told)].sort((a, b) => a - b),
    "each once, in order",
  );
  assert.deepEqual(
    newest.map(({ seq }) => events.find((event) => event.seq === seq)?.state),
    newest.map(({ job }) => job?.state),
    "and how each job ended",
  );
});

test("every call of the client does what it says, from a browser that does not trust the bridge yet and so speaks ws", async (t) => {
  const sim = await simulator(t);
  const b = await bridgeProcess(t);
  b.addPrinter({ id: "dock", name: "Dock", transport: "tcp", address: sim.address });
  b.registry.templates.put("badge", {
    id: "badge",
    name: "Badge",
    language: "zpl",
    dpmm: 8,
    body: "^XA^FO9,9^FD{{1}} {{2}}^FS^XZ",
    version: 1,
  });
  await b.start();
  const browser = await startChromium(t);
  if (!browser) return;
  const bridge = `127.0.0.1:${b.port}`;
  const origin = `http://localhost:${await site(bridge)}`;
  const token = b.allow(origin);
  const shop = await browser.newPage();
  // The site's own page fails to load the client over https: this browser has no reason to believe it.
  await shop.goto(origin);
  const result = await shop.evaluate(
    async ([bridge, token]) => {
      const client: typeof import("../frontdesk-print.js") = await import(
        `http://${bridge}/client/frontdesk-print.js`
      );
      const print = new client.FrontdeskPrint({
        appName: "Shop",
        url: [`wss://${bridge}/ws`, `ws://${bridge}/ws`],
        token,
      });
      const ended = (jobId: string) =>
        new Promise<string>((resolve) => {
          const stop = print.on("job.update", (job) => {
            if (job.job_id !== jobId || !["Done", "Failed", "Unknown"].includes(job.state)) return;
            stop();
            resolve(job.state);
          });
        });
      const statuses: string[] = [];
      print.on("printer.status", ({ printer }) => statuses.push(printer));
      const hello = await print.connect();
      const printers = await print.listPrinters();
      const templates = await print.listTemplates("dock");
      const status = await print.printerStatus("dock");
      const { pong } = await print.ping();
      const raw = await print.printRaw("dock", new TextEncoder().encode("^XA^FO9,9^FDbytes^FS^XZ"), {
        copies: 2,
      });
      const rawEnd = await ended(raw.jobId);
      const twice = { idempotencyKey: "order-1" };
      const one = await print.printTemplate("dock", "badge", [["Ada", 1], { params: ["Grace", "2"] }], twice);
      const templateEnd = await ended(one.jobId);
      const same = await print.printTemplate(
        "dock",
        "badge",
        [["Ada", 1], { params: ["Grace", "2"] }],
        twice,
      );
      const job = await print.getJob(one.jobId);
      const refused = await print.printTemplate("dock", "badge", [["Ada"]]).catch((error: unknown) => error);
      const seq = print.lastSeq;
      print.close();
      const error = refused as InstanceType<typeof client.PrintError>;
      const outcome = (connecting: Promise<unknown>) =>
        connecting.then(
          () => "connected",
          (reason: { code: string }) => reason.code,
        );
      const hasty = new client.FrontdeskPrint({ url: `ws://${bridge}/ws`, token });
      const early = outcome(hasty.connect());
      hasty.close();
      const again = await outcome(hasty.connect());
      hasty.close();
      // Nobody listens there: it tries again and again until it is closed.
      const patient = new client.FrontdeskPrint({ url: "ws://127.0.0.1:1/ws", token });
      const late = outcome(patient.connect());
      await new Promise((resolve) => setTimeout(resolve, 100));
      patient.close();
      return {
        hello: [hello.server, hello.authRequired],
        printers: printers.map(({ id, name }) => [id, name]),
        templates: templates.map(({ id, placeholders }) => [id, placeholders]),
        status: [status.online, status.state],
        pong,
        ends: [rawEnd, templateEnd],
        same: same.jobId === one.jobId,
        job: [job.state, job.labels.length],
        error: [error instanceof client.PrintError, error.code, error.retryable, error.details],
        seq: typeof seq,
        closed: [await early, again, await late],
        kept: localStorage.getItem("frontdesk-print-token") === token,
      };
    },
    [bridge, token] as const,
  );
  assert.deepEqual(result, {
    hello: ["frontdesk-print", true],
    printers: [["dock", "Dock"]],
    templates: [["badge", [1, 2]]],
    status: [true, "ready"],
    pong: true,
    ends: ["Done", "Done"],
    same: true,
    job: ["Done", 2],
    error: [true, "TEMPLATE_PARAMS_MISSING", false, { missing: [{ label: 0, placeholders: [2] }] }],
    seq: "number",
    closed: ["CONNECTION_LOST", "connected", "CONNECTION_LOST"],
    kept: true,
  });
  assert.deepEqual(
    sim.printer.labels.map(({ zpl }) => /\^FD([^^]*)/.exec(zpl)?.[1]),
    ["bytes", "bytes", "Ada 1", "Grace 2"],
  );
});

test("a page of another origin is denied, and one that came by a rebinding name gets nothing", async (t) => {
  const b = await bridgeProcess(t);
  b.allow("http://localhost:1");
  await b.start();
  const browser = await startChromium(t, {
    args: ["--host-resolver-rules=MAP rebind.attacker.example 127.0.0.1"],
  });
  if (!browser) return;
  const port = await site(`127.0.0.1:${b.port}`);
  const connect = (address: string) => {
    const result = { opened: false, frames: [] as string[], code: 0 };
    return new Promise<typeof result>((resolve) => {
      const socket = new WebSocket(address);
      socket.onopen = () => {
        result.opened = true;
        socket.send(JSON.stringify({ v: 1, id: "1", method: "printers.list", params: {} }));
      };
      socket.onmessage = ({ data }) => result.frames.push(String(data));
      socket.onclose = ({ code }) => resolve({ ...result, code });
    });
  };
  const other = await browser.newPage();
  await other.goto(`http://127.0.0.1:${port}/`);
  const denied = await other.evaluate(connect, b.url);
  assert.equal(JSON.parse(denied.frames[0] ?? "{}").error?.code, "ORIGIN_DENIED");
  assert.deepEqual([denied.frames.length, denied.code], [1, 4403]);

  const read = (address: string) =>
    fetch(address).then(
      async (response) => [response.status, await response.json()],
      () => "kept from the page",
    );
  assert.deepEqual(
    await other.evaluate(read, `http://127.0.0.1:${b.port}/healthz`),
    [200, { status: "ok" }],
    "any page may look whether a bridge is there, and so bring up the browser's question",
  );
  assert.equal(
    await other.evaluate(read, `http://127.0.0.1:${b.port}/api/v2/printers`),
    "kept from the page",
  );

  const rebound = await browser.newPage();
  await rebound.goto(`http://rebind.attacker.example:${port}/`);
  const nothing = await rebound.evaluate(connect, `ws://rebind.attacker.example:${b.port}/ws`);
  assert.deepEqual([nothing.opened, nothing.frames], [false, []]);
  const direct = await rebound.goto(`http://rebind.attacker.example:${b.port}/api/v1/printers`);
  assert.equal(direct?.status(), 421);
  assert.deepEqual(JSON.parse((await direct?.text()) ?? ""), { error: "misdirected_request" });
});
