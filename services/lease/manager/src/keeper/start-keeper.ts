import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
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

/** Rejects when the process ends, or does not start, before it says anything more. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, "disconnect", { signal }).then(() => {
    throw new Error("it ended, or did not start");
  });
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } finally {
    over.abort();
  }
}
