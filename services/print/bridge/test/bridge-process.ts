import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { administer, pairingsOf, QUICK } from "./support.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/**
 * The bridge as a process of its own, to be killed. It ends with this one: it stops when the
 * channel to whoever started it closes.
 */
export async function bridgeProcess(t: Pick<TestContext, "after">, env: Record<string, string> = {}) {
  const home = temporaryHome(t);
  const folder = join(home, "print");
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const admin = administer(folder);
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env.PATH,
        FRONTDESK_HOME: home,
        FRONTDESK_LOG_LEVEL: "error",
        // It is started often: what was compiled once is kept, by whoever ends in order.
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(home, "compiled"),
        NODE_COMPILE_CACHE_PORTABLE: process.env.NODE_COMPILE_CACHE_PORTABLE,
        ...QUICK,
        PRINT_LISTEN: `127.0.0.1:${port}`,
        ...env,
      },
      stdio: ["ignore", "inherit", "ignore", "ipc"],
    });
    child = started;
    const [message] = await Promise.race([
      once(started, "message"),
      once(started, "exit").then(([code]) => {
        throw new Error(`the bridge ended with ${code} while starting`);
      }),
    ]);
    if (!(message as { ready?: unknown }).ready)
      throw new Error(`the bridge said ${JSON.stringify(message)}`);
  }

  async function end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return null;
    const ended = once(ending, "exit");
    ending.kill(signal);
    return (await ended)[0];
  }

  t.after(async () => {
    await end("SIGKILL");
    admin.close();
  });
  return {
    ...admin,
    home,
    folder,
    port,
    url: `ws://127.0.0.1:${port}/ws`,
    secureUrl: `wss://127.0.0.1:${port}/ws`,
    start,
    pairings: () => pairingsOf(port, readFileSync(join(folder, "admin-token"), "utf8").trim()),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
