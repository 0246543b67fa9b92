import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { DomainError } from "@frontdesk/kit/domain-error";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import { refuse } from "../domain/codes.ts";
import type { HostNetwork } from "../domain/host-network.ts";
import type { EngineProcessState, Keeper } from "../domain/keeper.ts";
import type { Identity } from "../keeper/act-as.ts";

const KEEPER = fileURLToPath(new URL("../keeper/main.ts", import.meta.url));
const ENGINE = fileURLToPath(new URL("../../../engine/src/main.ts", import.meta.url));
/** Starting an engine with a million leases takes seconds; stopping is cut short by the keeper itself. */
const MAX_ANSWER_MS = 60_000;

/** More than a keeper has to say. */
const MAX_ANSWER = 4 * 1024 * 1024;

/** Whether a keeper is still there. */
const LOOK_MS = 2_000;

export interface OpenKeeper extends Keeper {
  readonly network: HostNetwork;
  /** Until then the keeper that is there, and its engine, go on as if nobody had asked. */
  takeUp(): Promise<void>;
  quit(): Promise<void>;
}

/**
 * The keeper that is there, if it keeps an engine of this configuration, or a new one, prepared with the rights that
 * this process has now. One that is killed takes its engine with it: another one is started.
 */
export async function openKeeper(
  path: string,
  configPath: string,
  owner: Identity | undefined,
  log: Pick<Log, "error">,
): Promise<OpenKeeper> {
  const prepare = () => prepareKeeper(path, configPath, owner);
  let isAlone = false;
  const kept = await exchange<string>(path, "config").catch((error) => {
    isAlone = isNobodyThere(error);
  });
  const prepared = kept === configPath ? undefined : await prepare();
  let isStopped = false;
  const look = async () => {
    try {
      isStopped = (await exchange<EngineProcessState>(path, "state")).state === "stopped";
    } catch (error) {
      if (!isNobodyThere(error)) return;
      log.error("the process that keeps the engine is gone: starting another one");
      await (await prepare()).takeUp();
      if (!isStopped) await exchange(path, "start");
    }
  };
  let watch: ReturnType<typeof watching> | undefined;
  const ask = (word: string) => askKeeper<EngineProcessState>(path, word);
  const askNetwork = async <Answer>(words: string): Promise<Answer> => {
    const told = await askKeeper<Answer | Refused>(path, words);
    if (!isRefused(told)) return told;
    throw new DomainError(told.refused, told.message);
  };
  const keeper: OpenKeeper = {
    state: () => ask("state"),
    start: () => ask("start"),
    stop: () => ask("stop"),
    restart: () => ask("restart"),
    network: {
      state: () => askNetwork("network"),
      preview: (change) => askNetwork(`network-preview ${JSON.stringify(change)}`),
      tryOut: (change, seconds) => askNetwork(`network-try ${JSON.stringify({ change, seconds })}`),
      confirm: (deadline) => askNetwork(`network-confirm ${deadline ?? ""}`.trim()),
      takeBack: (deadline) => askNetwork(`network-take-back ${deadline ?? ""}`.trim()),
    },
    takeUp: async () => {
      if (watch) return;
      if (prepared) {
        await quitKeeper(path);
        await prepared.takeUp();
      }
      watch = watching(look, (err) => log.error({ err }, "the process that keeps the engine did not start"));
    },
    quit: async () => {
      if (!watch) return prepared?.discard();
      await watch.end();
      await quitKeeper(path);
    },
  };
  // A change of the network that a power cut left on trial is taken back, whatever then keeps the manager from starting:
  // it may be that change.
  if (isAlone) await keeper.takeUp();
  return keeper;
}

/** Nobody listens on the socket, or it is gone. */
const NOBODY_THERE = new Set(["ECONNREFUSED", "ENOENT"]);
const isNobodyThere = (error: unknown) => NOBODY_THERE.has((error as NodeJS.ErrnoException).code ?? "");

/** Looks again and again, one look at a time, until it is ended. */
function watching(look: () => Promise<void>, failed: (error: unknown) => void) {
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look()
      .catch(failed)
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_MS);
  timer.unref();
  return {
    end: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

interface Refused {
  readonly refused: string;
  readonly message: string;
}
const isRefused = (told: unknown): told is Refused =>
  typeof told === "object" && told !== null && "refused" in told;

/** Stops the engine and ends the keeper, where there is one. */
export const quitKeeper = (path: string): Promise<void> =>
  askKeeper(path, "quit").then(
    () => {},
    () => {},
  );

interface PreparedKeeper {
  takeUp(): Promise<void>;
  discard(): void;
}

/** A process of its own that waits to be told to take up; then it goes on when this one ends. */
async function prepareKeeper(
  path: string,
  configPath: string,
  owner: Identity | undefined,
): Promise<PreparedKeeper> {
  const isRoot = process.getuid?.() === 0;
  const ids = isRoot && owner ? [String(owner.uid), String(owner.gid)] : [];
  const keeper = spawn(process.execPath, [KEEPER, path, ENGINE, configPath, ...ids], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  await told(keeper);
  return {
    takeUp: async () => {
      keeper.send("take up");
      await told(keeper);
      keeper.unref();
    },
    discard: () => void (keeper.connected && keeper.disconnect()),
  };
}

/** Resolves with the next message of a keeper. */
function told(keeper: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new StartProblem("The process that keeps the lease engine did not start."));
    keeper.once("error", failed);
    keeper.once("exit", failed);
    keeper.once("message", () => {
      keeper.removeAllListeners();
      resolve();
    });
  });
}

const askKeeper = <Answer>(path: string, word: string): Promise<Answer> =>
  exchange<Answer>(path, word).catch(() => refuse("engine_away"));

function exchange<Answer>(path: string, word: string): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${word}\n`));
    let answer = "";
    socket.setEncoding("utf8");
    socket.setTimeout(MAX_ANSWER_MS, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk: string) => {
      answer += chunk;
      if (answer.length > MAX_ANSWER) socket.destroy(new Error("the answer is too long"));
    });
    socket.on("error", reject);
    socket.on("close", () => {
      try {
        resolve(JSON.parse(answer) as Answer);
      } catch {
        reject(new Error("no answer"));
      }
    });
  });
}
