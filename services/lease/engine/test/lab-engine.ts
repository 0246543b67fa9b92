import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { compileCacheOf } from "./readable-program.ts";

const MAIN = "services/lease/engine/src/main.ts";
const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));

export interface LabEngine {
  readonly home: string;
  readonly port: number;
  readonly url: string;
  readonly metricsUrl: string;
  readonly configPath: string;
  readonly storePath: string;
  /** The configuration with this added to it. */
  readonly toml: (more: string) => string;
  readonly process: () => ChildProcess;
  readonly output: () => string;
  /** Starts it and waits until it says that it is ready. */
  start(wrapper?: readonly string[]): Promise<void>;
  /** Starts it and waits for nothing. */
  launch(wrapper?: readonly string[]): ChildProcess;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The engine as a process of its own, on loopback. */
export async function labEngine(
  home: string,
  more: string,
  server = "",
  repository = REPOSITORY,
): Promise<LabEngine> {
  const [port, control, metrics] = [await freePort(), await freePort(), await freePort()];
  const toml = (rest: string) =>
    `[server]\nlisten = ["127.0.0.1:${port}"]\ncontrol_listen = "127.0.0.1:${control}"\nmetrics_listen = "127.0.0.1:${metrics}"\n${server}\n${rest}`;
  const configPath = join(home, "engine.toml");
  mkdirSync(home, { recursive: true });
  writeFileSync(configPath, toml(more));
  let child: ChildProcess | undefined;
  let output = "";
  const launch = (wrapper: readonly string[] = []): ChildProcess => {
    output = "";
    const [command = "", ...words] = [...wrapper, process.execPath, join(repository, MAIN)];
    const started = spawn(command, words, {
      env: {
        ...process.env,
        FRONTDESK_HOME: home,
        LEASE_CONFIG: configPath,
        NODE_COMPILE_CACHE: compileCacheOf(repository) ?? join(home, "compiled"),
      },
      // The channel closes however the test ends, and the engine then stops by itself.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    child = started;
    const keep = (chunk: Buffer) => {
      output = (output + chunk).slice(-50_000);
    };
    started.stdout?.on("data", keep);
    started.stderr?.on("data", keep);
    return started;
  };
  return {
    home,
    port,
    url: `http://127.0.0.1:${control}`,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    configPath,
    storePath: join(home, "lease/engine/leases.db"),
    toml,
    process: () => child as ChildProcess,
    output: () => output,
    launch,
    async start(wrapper = []) {
      const started = launch(wrapper);
      await new Promise<void>((resolve, reject) => {
        started.once("exit", () => reject(new Error(`the engine did not start:\n${output}`)));
        started.on("message", (message: { ready?: unknown; problem?: string }) => {
          if (message.ready) resolve();
          if (message.problem) reject(new Error(message.problem));
        });
      });
    },
    async kill(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, "exit");
    },
  };
}
