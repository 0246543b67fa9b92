import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { monotonicClock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import { lockIfFree } from "@frontdesk/kit/lock-file";
import { CODES } from "../domain/codes.ts";
import type { NetworkChange } from "../domain/host-network.ts";
import type { EngineProcessState } from "../domain/keeper.ts";
import { actAs } from "./act-as.ts";
import { EngineProcess } from "./engine-process.ts";
import { createHostNetwork } from "./host-network.ts";
import { inodeAt } from "./inode.ts";
import type { KeeperIdentity } from "./start-keeper.ts";

/**
 * Keeps the engine running, in a process of its own: the manager may end, be upgraded or give up root meanwhile.
 * Takes one word per line on a socket that only the owner of the folder can open, and answers with the state.
 */
const MAX_LINE = 2_000;
const COMMAND_MS = 30_000;
const LOOK_MS = 1_000;
/** The last two are the owner of the folder, where root starts this for somebody else. */
const [path = "", program = "", config = "", uid, gid] = process.argv.slice(2);
/** In a folder of somebody else root does nothing that this user could not do. */
const asOwner = <T>(work: () => T): T =>
  uid === undefined ? work() : actAs({ uid: Number(uid), gid: Number(gid) }, work);
const engine = new EngineProcess(program);
const execute = promisify(execFile);

const network = createHostNetwork({
  root: "/",
  run: async (command, words) => {
    const { stdout } = await execute(command, [...words], { timeout: COMMAND_MS });
    return stdout;
  },
  now: () => Date.now(),
  monotonic: monotonicClock.now,
  schedule: (milliseconds, act) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
  wait: delay,
  lockIfFree,
  isRoot: process.getuid?.() === 0,
});

let ending: Promise<EngineProcessState> | undefined;

/** Nobody is left then who would take back what is being tried out. */
function end(): Promise<EngineProcessState> {
  ending ??= network
    .takeBack()
    .catch(() => {})
    .then(() => engine.stop());
  return ending;
}

/** Its socket goes with it, unless it is another one's by now. */
function leave(): void {
  if (own !== undefined && inodeAt(path, own) === own) asOwner(() => server.close());
}

const ENDING = { refused: "engine_away", message: CODES.engine_away };

/** What a word does with what follows it on its line. */
type Act = (argument: unknown) => Promise<object | string>;

const WORDS: Readonly<Record<string, Act>> = {
  identity: async (): Promise<KeeperIdentity> => ({
    config,
    uid: process.getuid?.() ?? null,
    owner: uid === undefined ? null : Number(uid),
  }),
  state: async () => engine.state,
  start: () => engine.start(),
  stop: () => engine.stop(),
  restart: () => engine.restart(),
  network: () => network.state(),
  "network-preview": (change) => network.preview(change as NetworkChange),
  "network-try": (asked) => {
    const { change, seconds } = asked as { change: NetworkChange; seconds: number };
    return network.tryOut(change, seconds);
  },
  "network-confirm": (deadline) => network.confirm(deadline as number | undefined),
  "network-take-back": (deadline) => network.takeBack(deadline as number | undefined),
  quit: async () => {
    const state = await end();
    // Before it is answered: the next one may listen there at once.
    leave();
    setImmediate(() => process.exit(0));
    return state;
  },
};

const server = createServer((socket) => {
  let line = "";
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: string) => {
    line += chunk;
    if (line.length > MAX_LINE) return void socket.destroy();
    const end = line.indexOf("\n");
    if (end < 0) return;
    void answer(socket, line.slice(0, end)).catch(() => socket.destroy());
    line = "";
  });
});

async function answer(socket: Socket, line: string): Promise<void> {
  const [word = ""] = line.split(" ", 1);
  const act = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (!act) return void socket.destroy();
  // Whoever finds it now waits for its end, and starts another one.
  if (ending && word !== "quit") return void socket.end(`${JSON.stringify(ENDING)}\n`);
  const argument = line.length > word.length ? JSON.parse(line.slice(word.length)) : undefined;
  const told = await act(argument).catch((error: Error & { code?: string }) => ({
    refused: error instanceof DomainError ? error.code : "network_failed",
    message: error.message,
  }));
  socket.end(`${JSON.stringify(told)}\n`);
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, async () => {
    if (server.listening) await end();
    leave();
    process.exit(0);
  });
}
process.on("SIGHUP", () => {});

/** The number of its own socket: one that is open keeps it. */
let own: number | undefined;

/** Where its socket was removed or replaced, nobody can speak to it any more: it makes room for the next one. */
function watchPlace(): void {
  own = inodeAt(path, own);
  const timer = setInterval(() => {
    if (inodeAt(path, own) === own) return;
    clearInterval(timer);
    void end().then(() => process.exit(0));
  }, LOOK_MS);
}

server.on("listening", () => {
  watchPlace();
  // Whoever started it may have ended.
  process.send?.("listening", () => {
    if (process.connected) process.disconnect();
  });
});
asOwner(() => {
  // Left behind by one that was killed: nobody listens there.
  rmSync(path, { force: true });
  // Only the owner may speak to it, from the first moment; the engine makes its files by modes of its own.
  const usual = process.umask(0o177);
  server.listen(path);
  process.umask(usual);
});
