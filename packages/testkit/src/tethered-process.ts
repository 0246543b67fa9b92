import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Ends the program when the shell's standard input closes, which it does however the test ends: by the
 * signal that it asks for, and by force when that has not helped for ten seconds.
 */
const TETHER = `"$@" </dev/null & child=$!
cat >/dev/null
kill -s "$TETHER_SIGNAL" $child
(sleep 10; kill -s KILL $child) >/dev/null 2>&1 & force=$!
wait $child
kill $force`;

/** When the shell itself, or a pipe that some grandchild holds, keeps a test from ending. */
const STOP_LIMIT_MS = 15_000;

export interface TetheredProcess {
  readonly child: ChildProcess;
  /** Asks the program to end, and waits until it has. */
  stop(): Promise<void>;
}

/** Runs a program that cannot outlive this process, not even if this one is killed. */
export function tetheredProcess(
  command: string,
  words: readonly string[],
  options: SpawnOptions & { stopSignal?: "TERM" | "INT" } = {},
): TetheredProcess {
  const child = spawn("/bin/sh", ["-c", TETHER, "tether", command, ...words], {
    ...options,
    env: { ...(options.env ?? process.env), TETHER_SIGNAL: options.stopSignal ?? "TERM" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  return {
    child,
    stop: async () => {
      child.stdin?.destroy();
      const lastResort = setTimeout(() => {
        child.kill("SIGKILL");
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, STOP_LIMIT_MS);
      await ended;
      clearTimeout(lastResort);
    },
  };
}
