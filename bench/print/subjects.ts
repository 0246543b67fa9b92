import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "@frontdesk/kit/clock";
import { WebSocket } from "ws";
import { completePrinter } from "../../services/print/bridge/src/adapters/provisioning.ts";
import { systemSecrets } from "../../services/print/bridge/src/adapters/secrets.ts";
import { openRegistry } from "../../services/print/bridge/src/adapters/sqlite-registry.ts";
import { createAccess } from "../../services/print/bridge/src/domain/access.ts";
import type { Sink } from "./sink.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Something that takes print.raw frames and brings their data to printers. */
export interface Subject {
  readonly name: string;
  readonly child: ChildProcess;
  /** A connection; with `follow` it hears of its jobs' ends. */
  connect(follow?: boolean): Promise<Line>;
  /** Answers with the jobs in the order they were accepted, where the subject remembers. */
  stop(): Promise<string[]>;
}

export interface Line {
  print(printer: string, data: string): Promise<string>;
  /** Resolves when a job has ended, where the subject knows of such a thing. */
  ended(jobId: string): Promise<void>;
  close(): void;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** On the disk of the checkout, not in a memory file system: a durable write has to be one. */
function workFolder() {
  const folder = mkdtempSync(join(ROOT, ".bench-print-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function openLine(url: string, token: string | undefined, follow: boolean): Promise<Line> {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
  await once(socket, "open");
  const waiting = new Map<string, (frame: { result?: { jobId: string }; error?: unknown }) => void>();
  const over = new Set<string>();
  const enders = new Map<string, () => void>();
  let lastId = 0;
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data));
    if (frame.event === "job.update") {
      if (!["Done", "Failed", "Unknown"].includes(frame.data.state)) return;
      over.add(frame.data.job_id);
      enders.get(frame.data.job_id)?.();
      return;
    }
    waiting.get(frame.id)?.(frame);
    waiting.delete(frame.id);
  });
  const call = async (method: string, params: object) => {
    const id = `${++lastId}`;
    const answer = new Promise<{ result?: { jobId: string }; error?: unknown }>((resolve) =>
      waiting.set(id, resolve),
    );
    socket.send(JSON.stringify({ v: 1, id, method, params }));
    const { result, error } = await answer;
    if (!result) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  if (token) await call("auth", { token });
  if (token && follow) await call("subscribe", { events: ["job.update"] });
  return {
    print: async (printer, data) => (await call("print.raw", { printer, data })).jobId,
    ended: async (jobId) => {
      if (!token || over.has(jobId)) return;
      await new Promise<void>((resolve) => enders.set(jobId, resolve));
    },
    close: () => socket.terminate(),
  };
}

async function start(child: ChildProcess): Promise<void> {
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`it ended with ${code} while starting`);
    }),
  ]);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

export async function startBridge(sinks: readonly Sink[], feedback: "none" | "printer"): Promise<Subject> {
  const { folder, remove } = workFolder();
  const home = join(folder, "print");
  const port = await freePort();
  const { mkdirSync } = await import("node:fs");
  mkdirSync(home);
  const registry = openRegistry(join(home, "config.db"));
  registry.settings.put("welcomed", "yes");
  sinks.forEach((sink, n) => {
    registry.printers.put(
      `p${n}`,
      completePrinter({ id: `p${n}`, transport: "tcp", address: `127.0.0.1:${sink.port}`, feedback }),
    );
  });
  const access = createAccess({ registry, clock: systemClock, secrets: systemSecrets, authFailureLimit: 5 });
  const changes = access.by("cli:bench");
  changes.approve("https://bench.example");
  const token = changes.issueToken("https://bench.example");
  registry.close();
  const child = spawn(process.execPath, [join(ROOT, "services/print/bridge/src/main.ts")], {
    env: {
      PATH: process.env.PATH,
      FRONTDESK_HOME: folder,
      FRONTDESK_LOG_LEVEL: "error",
      PRINT_LISTEN: `127.0.0.1:${port}`,
      PRINT_WATCH_MS: "600000",
      PRINT_LIMIT_REQUESTS: "100000",
      PRINT_LIMIT_BURST: "100000",
      PRINT_LIMIT_WAITING: "100000",
      PRINT_LIMIT_WAITING_BYTES: String(4 * 2 ** 30),
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await start(child);
  return {
    name: "bridge",
    child,
    connect: (follow = true) => openLine(`ws://127.0.0.1:${port}/ws`, token, follow),
    stop: async () => {
      await stop(child);
      const journal = new DatabaseSync(join(home, "queue.db"), { readOnly: true });
      const rows = journal.prepare("select id from jobs order by n").all();
      journal.close();
      remove();
      return rows.map(({ id }) => String(id));
    },
  };
}

const RELAYS = {
  none: "relay, nothing kept",
  fsync: "relay, one fsync",
  "shared-fsync": "relay, shared fsyncs",
} as const;

export async function startRelay(sinks: readonly Sink[], durable: keyof typeof RELAYS): Promise<Subject> {
  const { folder, remove } = workFolder();
  const port = await freePort();
  const words = [String(port), durable, join(folder, "jobs.log"), ...sinks.map((sink) => String(sink.port))];
  const child = spawn(process.execPath, [join(import.meta.dirname, "relay.ts"), ...words], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await start(child);
  return {
    name: RELAYS[durable],
    child,
    connect: () => openLine(`ws://127.0.0.1:${port}/ws`, undefined, false),
    stop: async () => {
      child.disconnect();
      await once(child, "exit");
      remove();
      return [];
    },
  };
}

/** Resident memory of a process in MiB, now and at its highest. */
export function memoryOf(child: ChildProcess): { now: number; peak: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const read = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: read("VmRSS"), peak: read("VmHWM") };
}
