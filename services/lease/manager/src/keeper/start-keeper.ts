import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const KEEPER = fileURLToPath(new URL("./main.ts", import.meta.url));

/** What a keeper says of itself. */
export interface KeeperIdentity {
  /** Which configuration its engines are started with. */
  readonly config: string;
  /** Whose rights it has. */
  readonly uid: number | null;
  /** For whom root has started it; null where that is itself. */
  readonly owner: number | null;
}

/** Starts a keeper, which goes on when this process ends; resolves when it listens. */
export async function startKeeper(words: readonly string[]): Promise<void> {
  const keeper = spawn(process.execPath, [KEEPER, ...words], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  await nextMessage(keeper);
  keeper.unref();
}

/** Rejects when the process ends before it has said anything. */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error("it ended, or did not start"));
    child.once("error", failed);
    child.once("exit", failed);
    child.once("message", (message) => {
      child.removeAllListeners();
      resolve(message);
    });
  });
}
