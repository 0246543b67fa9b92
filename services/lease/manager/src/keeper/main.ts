import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { EngineProcessState } from "../domain/keeper.ts";
import { EngineProcess } from "./engine-process.ts";

/**
 * Keeps the engine running, in a process of its own: the manager may end, be upgraded or give up root meanwhile.
 * Takes one word per line on a socket that only the owner of the folder can open, and answers with the state.
 */
const MAX_LINE = 200;
const [path = "", program = "", config = ""] = process.argv.slice(2);
const engine = new EngineProcess(program);

const WORDS: Readonly<Record<string, () => Promise<EngineProcessState | string>>> = {
  /** Which configuration the engines of this keeper are started with. */
  config: async () => config,
  state: async () => engine.state,
  start: () => engine.start(),
  stop: () => engine.stop(),
  restart: async () => {
    await engine.stop();
    return engine.start();
  },
  quit: async () => {
    const state = await engine.stop();
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
    void answer(socket, line.slice(0, end));
    line = "";
  });
});

async function answer(socket: Socket, word: string): Promise<void> {
  const act = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (!act) return void socket.destroy();
  socket.end(`${JSON.stringify(await act())}\n`);
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => void engine.stop().then(() => process.exit(0)));
}
process.on("SIGHUP", () => {});
server.on("error", (error: NodeJS.ErrnoException) => {
  // Another keeper has the folder.
  if (error.code === "EADDRINUSE") process.exit(0);
  throw error;
});
// Only the owner may speak to it, from the first moment; the engine makes its files by modes of its own.
const usual = process.umask(0o177);
server.listen(path, () => {
  process.umask(usual);
  process.on("exit", () => rmSync(path, { force: true }));
  process.send?.("listening");
  process.disconnect?.();
});
