import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";

export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Everything that it wrote so far. */
  output(): string;
  /** The rows it announced when it was ready, or the sentence that says why it cannot start. */
  readonly started: Promise<{ ready?: Array<[string, string]>; problem?: string }>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Runs a service's main file as the launcher does, with an environment of its own; ended with the test. */
export function serviceProcess(
  t: Pick<TestContext, "after">,
  main: string,
  env: Record<string, string>,
): ServiceProcess {
  const child = fork(main, {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // Most of a start is compiling what other tests have compiled before.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_COMPILE_CACHE_PORTABLE: process.env.NODE_COMPILE_CACHE_PORTABLE,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: [],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close").then(([code, signal]) => signal ?? code);
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    output: () => output,
    started: Promise.race([
      once(child, "message").then(([message]) => message),
      ended.then((how) => {
        throw new Error(`the service ended with ${how} before it was ready:\n${output}`);
      }),
    ]),
    ended,
  };
}
