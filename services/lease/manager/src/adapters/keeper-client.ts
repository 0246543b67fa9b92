import { spawn } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { DomainError } from "@frontdesk/kit/domain-error";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import { refuse } from "../domain/codes.ts";
import type { HostNetwork } from "../domain/host-network.ts";
import type { EngineProcessState, Keeper } from "../domain/keeper.ts";
import type { Identity } from "../keeper/act-as.ts";
import { type KeeperIdentity, nextMessage, startKeeper } from "../keeper/start-keeper.ts";

const STARTER = fileURLToPath(new URL("../keeper/starter.ts", import.meta.url));
const ENGINE = fileURLToPath(new URL("../../../engine/src/main.ts", import.meta.url));
/** Starting an engine with a million leases takes seconds; stopping is cut short by the keeper itself. */
const MAX_ANSWER_MS = 60_000;
/** What a keeper is, and the state of its engine, it tells at once, whatever else it does meanwhile. */
const MAX_LOOK_MS = 5_000;

/** More than a keeper has to say. */
const MAX_ANSWER = 4 * 1024 * 1024;

/** What the system allows for the path of a socket (struct sockaddr_un), with the zero that ends it. */
const MAX_SOCKET_PATH = process.platform === "darwin" ? 104 : 108;
/** Whether a keeper is still there. */
const LOOK_MS = 2_000;

export interface OpenKeeper extends Keeper {
  readonly network: HostNetwork;
  /** Starts the engine, unless somebody stopped it. */
  begin(): Promise<EngineProcessState>;
  /** Until then the keeper that is there, and its engine, go on as if nobody had asked. */
  takeUp(): Promise<void>;
  quit(): Promise<void>;
}

/**
 * The keeper that is there, if it keeps an engine of this configuration and has no fewer rights than this process has
 * now, or a new one, with these rights. One that is killed takes its engine with it: another one is started.
 */
export async function openKeeper(
  path: string,
  configPath: string,
  owner: Identity | undefined,
  log: Pick<Log, "error">,
  maxLookMs = MAX_LOOK_MS,
): Promise<OpenKeeper> {
  const tooLong = Buffer.byteLength(path) + 1 - MAX_SOCKET_PATH;
  if (tooLong > 0) {
    throw new StartProblem(
      `The path ${path} is too long for a socket: choose a FRONTDESK_HOME that is shorter by ${tooLong} characters or more.`,
    );
  }
  const isRoot = process.getuid?.() === 0;
  /** Whether there is a keeper that does not answer; it was told then. */
  let hangs = false;
  const lookAt = async <Answer>(word: "identity" | "state"): Promise<Answer> => {
    try {
      const told = await exchange<Answer>(path, word, maxLookMs);
      hangs = false;
      return told;
    } catch (error) {
      const isSilent = SILENT.has((error as NodeJS.ErrnoException).code ?? "");
      if (isSilent && !hangs) log.error({ end: endOf(path) }, HANGS);
      hangs = isSilent;
      throw error;
    }
  };
  const identity = () => lookAt<KeeperIdentity | Refused>("identity");
  const isAlone = await identity().then(() => false, isNobodyThere);
  const isKept = async () => {
    const found = await identity().catch(() => undefined);
    if (!found || isRefused(found) || found.config !== configPath) return false;
    return !isRoot || (found.uid === 0 && found.owner === (owner?.uid ?? null));
  };
  const starter = await keeperStarter(path, configPath, owner, log);
  /** By what was heard last: what is stopped on purpose stays so under another keeper. */
  let isStoppedOnPurpose = false;
  const hear = (told: EngineProcessState) => {
    isStoppedOnPurpose = told.isStoppedOnPurpose ?? told.state === "stopped";
    return told;
  };
  const look = async () => {
    try {
      const told = await lookAt<EngineProcessState | Refused>("state");
      if (!isRefused(told)) hear(told);
    } catch (error) {
      if (!isNobodyThere(error)) return;
      log.error("the process that keeps the engine is gone: starting another one");
      await starter.start();
      await exchange(path, isStoppedOnPurpose ? "stop" : "start");
    }
  };
  let watch: ReturnType<typeof watching> | undefined;
  const asked = async <Answer>(words: string): Promise<Answer> => {
    const told = await askKeeper<Answer | Refused>(path, words, words === "state" ? maxLookMs : undefined);
    if (!isRefused(told)) return told;
    throw new DomainError(told.refused, told.message);
  };
  const ask = async (word: string) => hear(await asked<EngineProcessState>(word));
  const takeUp = async () => {
    // Asked only now: it may have begun to end while the manager started.
    if (!(await isKept())) {
      const before = hangs
        ? undefined
        : await lookAt<EngineProcessState | Refused>("state").catch(() => undefined);
      if (!hangs) await quitKeeper(path);
      await starter.start();
      if (before && !isRefused(before) && before.isStoppedOnPurpose) await exchange(path, "stop");
    }
    watch = watching(look, (err) =>
      log.error({ err }, "the process that keeps the engine did not start; it is tried again"),
    );
  };
  let takenUp: Promise<void> | undefined;
  let isOver = false;
  const keeper: OpenKeeper = {
    state: () => ask("state"),
    begin: async () => {
      const told = await ask("state");
      return told.isStoppedOnPurpose ? told : ask("start");
    },
    start: () => ask("start"),
    stop: () => ask("stop"),
    restart: () => ask("restart"),
    network: {
      state: () => asked("network"),
      preview: (change) => asked(`network-preview ${JSON.stringify(change)}`),
      tryOut: (change, seconds) => asked(`network-try ${JSON.stringify({ change, seconds })}`),
      confirm: (deadline) => asked(`network-confirm ${deadline ?? ""}`.trim()),
      takeBack: (deadline) => asked(`network-take-back ${deadline ?? ""}`.trim()),
    },
    takeUp: async () => {
      // A manager that is stopped while it starts goes on for a moment.
      if (isOver) return;
      takenUp ??= takeUp();
      await takenUp;
    },
    quit: async () => {
      isOver = true;
      await takenUp?.catch(() => {});
      await watch?.end();
      starter.close();
      if (!takenUp) return;
      // One that hangs hears it when it goes on.
      const quitting = quitKeeper(path);
      if (!hangs) await identity().catch(() => {});
      if (!hangs) await quitting;
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

/** Somebody listens on the socket and says nothing, perhaps for so long that no more can wait for it. */
const SILENT = new Set(["ETIMEDOUT", "EAGAIN"]);
const HANGS =
  "the process that keeps the engine hangs, and its engine runs on: end it by force, as `end` does; while lease runs it then starts another one";
const endOf = (path: string) => `pkill -KILL -f 'keeper/main.ts ${path}'`;

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

interface KeeperStarter {
  start(): Promise<void>;
  close(): void;
}

/**
 * Starts keepers with the rights that this process has now. Where it is to become the owner of the folder, a process of
 * its own that stays root does that, until it is closed or this one ends.
 */
async function keeperStarter(
  path: string,
  configPath: string,
  owner: Identity | undefined,
  log: Pick<Log, "error">,
): Promise<KeeperStarter> {
  const words = [path, ENGINE, configPath];
  const notStarted = (): never => {
    throw new StartProblem(
      `The process that keeps the lease engine did not start: see that ${path} can be made, with nothing else of that name there, and that the machine has memory and processes left; then start lease again.`,
    );
  };
  const startHere = () => startKeeper(words).catch(notStarted);
  if (!owner) return { start: startHere, close: () => {} };
  const starter = spawn(process.execPath, [STARTER, ...words, String(owner.uid), String(owner.gid)], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  await nextMessage(starter).catch(notStarted);
  return {
    start: async () => {
      if (!starter.connected) {
        log.error(
          "the process that starts keepers as root was killed: stop lease, and start it as root again",
        );
        return startHere();
      }
      // Where that fails, it has ended: what it would have said next never comes.
      starter.send("start", () => {});
      const { isStarted } = (await nextMessage(starter).catch(notStarted)) as { isStarted: boolean };
      if (!isStarted) notStarted();
    },
    close: () => void (starter.connected && starter.disconnect()),
  };
}

const askKeeper = <Answer>(path: string, word: string, maxMs?: number): Promise<Answer> =>
  exchange<Answer>(path, word, maxMs).catch(() => refuse("engine_away"));

/** What a keeper answers to one line. */
export function exchange<Answer>(path: string, word: string, maxMs = MAX_ANSWER_MS): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${word}\n`));
    let answer = "";
    socket.setEncoding("utf8");
    socket.setTimeout(maxMs, () =>
      socket.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
    );
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
