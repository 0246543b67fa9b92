import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, systemClock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { readSettings } from "@frontdesk/kit/settings";
import { type ListenerOptions, listen } from "@frontdesk/print-simulator/listener";
import { createPrinter, type PrinterOptions } from "@frontdesk/print-simulator/printer";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { WebSocket } from "ws";
import { completePrinter } from "../src/adapters/provisioning.ts";
import { systemSecrets } from "../src/adapters/secrets.ts";
import { openRegistry } from "../src/adapters/sqlite-registry.ts";
import { createAccess } from "../src/domain/access.ts";
import type { JobStatus } from "../src/domain/job.ts";
import type { Journal } from "../src/domain/journal.ts";
import type { PrinterStatus } from "../src/domain/printer.ts";
import type { PairingRow } from "../src/http/admin-schemas.ts";
import type { ConnectionLimits } from "../src/http/websocket.ts";
import { printSettings } from "../src/settings.ts";
import { startBridge } from "../src/start-bridge.ts";

/** Only what hangs reaches it, however busy the machine is. */
export const LIMIT_MS = 120_000;
export const ORIGIN = "https://app.example.com";
export const LABEL = "^XA^FO30,30^A0N,40,40^FDhello^FS^XZ";

/** Settings that make everything quick. */
export const QUICK = {
  PRINT_POLL_MS: "20",
  PRINT_WATCH_MS: "50",
  PRINT_READ_MS: "300",
  PRINT_CONNECT_MS: "1000",
  PRINT_RECOVER_MS: "3000",
  PRINT_LIMIT_REQUESTS: "10000",
  PRINT_LIMIT_BURST: "10000",
};

type Cleanup = Pick<TestContext, "after">;

export async function until(what: string, holds: () => unknown): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; !(await holds()); await delay(5)) {
    assert.ok(Date.now() < deadline, `never seen: ${what}`);
  }
}

export interface BridgeSetup {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly firstStart?: boolean;
  readonly wrapJournal?: (journal: Journal) => Journal;
  readonly connections?: Partial<ConnectionLimits>;
}

/** What the administrator would do, straight in the bridge's home. */
export function administer(home: string, clock: Clock = systemClock, firstStart = false) {
  const registry = openRegistry(`${home}/config.db`);
  // Where it is not the first start, there are no printers but those a test adds.
  if (!firstStart) registry.settings.put("welcomed", "yes");
  const access = createAccess({ registry, clock, secrets: systemSecrets, authFailureLimit: 5 });
  const changes = access.by("cli:test");
  return {
    registry,
    access: { ...access, ...changes },
    addPrinter: (entry: Parameters<typeof completePrinter>[0]) =>
      registry.printers.put(entry.id, completePrinter(entry)),
    allow: (origin = ORIGIN, approval = {}) => {
      changes.approve(origin, approval);
      return changes.issueToken(origin);
    },
    close: () => registry.close(),
  };
}

export async function bridge(t: Cleanup, setup: BridgeSetup = {}) {
  const home = setup.home ?? temporaryHome(t);
  const clock = setup.clock ?? systemClock;
  const admin = administer(home, clock, setup.firstStart);
  t.after(() => admin.close());
  const config = readSettings(
    printSettings,
    { ...QUICK, PRINT_LISTEN: `127.0.0.1:${await freePort()}`, ...setup.env },
    "PRINT_",
  );
  const level = process.env.PRINT_TEST_LOG ?? "silent";
  const log = createLog({ service: "print", level, settings: printSettings });
  const running = await startBridge({
    config,
    home,
    log,
    clock,
    ...(setup.wrapJournal ? { wrapJournal: setup.wrapJournal } : {}),
    ...(setup.connections ? { connections: setup.connections } : {}),
  });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await running.close();
  };
  t.after(close);
  return {
    ...running,
    ...admin,
    home,
    close,
    pairings: () => pairingsOf(running.port, running.adminToken),
    url: `ws://127.0.0.1:${running.port}/ws`,
    http: `http://127.0.0.1:${running.port}`,
  };
}

/** The pages that ask to be let in, as the administrator sees them. */
export async function pairingsOf(port: number, adminToken: string): Promise<PairingRow[]> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/admin/pairings`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  return ((await response.json()) as { pairings: PairingRow[] }).pairings;
}

export async function simulator(t: Cleanup, options: PrinterOptions = {}, link: ListenerOptions = {}) {
  const printer = createPrinter(options);
  const listener = await listen(printer, link);
  t.after(() => listener.stop());
  return { printer, listener, address: `127.0.0.1:${listener.port}` };
}

export interface Frame {
  readonly v: number;
  readonly id?: string | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: string; message: string; retryable: boolean; details?: Record<string, unknown> };
  readonly event?: string;
  readonly data?: unknown;
  readonly seq?: number;
}

/** A bare speaker of the protocol, which shows every frame as it came. */
export async function speak(t: Cleanup, url: string, headers: Record<string, string> = { origin: ORIGIN }) {
  const socket = new WebSocket(url, { headers });
  t.after(() => socket.terminate());
  const events: Frame[] = [];
  const waiting = new Map<string | null, (frame: Frame) => void>();
  let closedWith: number | undefined;
  const closing = new Promise<number>((resolve) => {
    socket.on("close", (code) => {
      closedWith = code;
      resolve(code);
    });
  });
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data)) as Frame;
    if (frame.event) events.push(frame);
    else waiting.get(frame.id ?? null)?.(frame);
  });
  await new Promise<void>((resolve, reject) => {
    socket.on("open", () => resolve());
    socket.on("error", reject);
  });
  let lastId = 0;
  const send = (text: string, id: string | null) => {
    const answer = new Promise<Frame>((resolve) => waiting.set(id, resolve));
    socket.send(text);
    return answer;
  };
  const call = (method: string, params: object = {}, v = 1) => {
    const id = String(++lastId);
    return send(JSON.stringify({ v, id, method, params }), id);
  };
  const ask = async (method: string, params: object = {}) => {
    const { result, error } = await call(method, params);
    assert.ok(result, `${method} was refused: ${JSON.stringify(error)}`);
    return result;
  };
  return {
    socket,
    call,
    ask,
    send,
    events,
    /** Settles when the connection ends; who waits for that alone takes `closed`. */
    closing,
    /** The code with which the connection ended; fails where it never does. */
    async closed(): Promise<number | undefined> {
      await until("the connection ends", () => closedWith !== undefined);
      return closedWith;
    },
    jobs: () => events.filter(({ event }) => event === "job.update").map(({ data }) => data as JobStatus),
    statuses: () =>
      events.filter(({ event }) => event === "printer.status").map(({ data }) => data as PrinterStatus),
    async jobId(method: string, params: object): Promise<string> {
      return (await ask(method, params)).jobId as string;
    },
    async ended(jobId: string): Promise<JobStatus> {
      let job: JobStatus | undefined;
      await until(`job ${jobId} ends`, async () => {
        job = (await ask("job.get", { jobId })) as unknown as JobStatus;
        return ["Done", "Failed", "Unknown"].includes(job.state);
      });
      return job as JobStatus;
    },
    async code(method: string, params: object = {}): Promise<string | undefined> {
      return (await call(method, params)).error?.code;
    },
  };
}

export type Speaker = Awaited<ReturnType<typeof speak>>;

/** A page that was let in and has shown its token. */
export async function admitted(
  t: Cleanup,
  url: string,
  token: string,
  headers?: Record<string, string>,
): Promise<Speaker> {
  const speaker = await speak(t, url, headers);
  await speaker.ask("auth", { token });
  return speaker;
}
