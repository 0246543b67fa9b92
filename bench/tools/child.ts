import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A program in a process of its own that says over IPC when it is ready. */
export interface Child<Message> {
  readonly process: ChildProcess;
  readonly message: Message;
  stop(): Promise<void>;
}

export async function startChild<Message>(
  program: string,
  words: string[] = [],
  env: Record<string, string> = {},
): Promise<Child<Message>> {
  const child = fork(program, words, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
  });
  const ended = once(child, "exit");
  const [message] = await Promise.race([
    once(child, "message"),
    ended.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`))),
  ]);
  return {
    process: child,
    message,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
