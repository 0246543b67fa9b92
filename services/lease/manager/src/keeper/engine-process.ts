import { type ChildProcess, spawn } from "node:child_process";
import type { EngineProcessState } from "../domain/keeper.ts";

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** An engine that ran for so long was not in trouble: the next failure is the first one again. */
const STEADY_MS = 60_000;
const MAX_STOP_MS = 15_000;
const MAX_OUTPUT = 2_000;

/** The engine's process: started, watched, stopped. */
export class EngineProcess {
  readonly #program: string;
  #child: ChildProcess | undefined;
  #state: EngineProcessState["state"] = "stopped";
  #since = Date.now();
  #restarts = 0;
  #failures = 0;
  #problem: string | null = null;
  #output = "";
  #retry: NodeJS.Timeout | undefined;
  #watchers = new Set<() => void>();

  constructor(program: string) {
    this.#program = program;
  }

  get state(): EngineProcessState {
    return {
      state: this.#state,
      pid: this.#child?.pid ?? null,
      since: this.#since,
      restarts: this.#restarts,
      problem: this.#problem,
    };
  }

  async start(): Promise<EngineProcessState> {
    await this.#untilNot("stopping");
    if (this.#state === "stopped" || this.#state === "waiting") this.#spawn();
    await this.#untilNot("starting");
    return this.state;
  }

  async stop(): Promise<EngineProcessState> {
    clearTimeout(this.#retry);
    const child = this.#child;
    if (child) {
      this.#become("stopping");
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), MAX_STOP_MS);
      await this.#untilNot("stopping");
      clearTimeout(kill);
    }
    this.#problem = null;
    this.#failures = 0;
    this.#become("stopped");
    return this.state;
  }

  #spawn(): void {
    clearTimeout(this.#retry);
    this.#problem = null;
    this.#output = "";
    this.#become("starting");
    const child = spawn(process.execPath, [this.#program], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#child = child;
    const startedAt = performance.now();
    child.on("message", (told: { ready?: unknown; problem?: string }) => {
      if (told.problem) this.#problem = told.problem;
      if (told.ready && this.#state === "starting") this.#become("running");
    });
    const hear = (chunk: Buffer) => {
      this.#output = (this.#output + chunk).slice(-MAX_OUTPUT);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    // Not started at all: "exit" does not come then.
    child.on("error", (error) => {
      this.#problem = error.message;
      if (child.pid === undefined) this.#ended(child, startedAt);
    });
    child.on("exit", () => this.#ended(child, startedAt));
  }

  #ended(child: ChildProcess, startedAt: number): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#state === "stopping") {
      this.#become("stopped");
      return;
    }
    this.#problem ??= this.#output.trim().split("\n").slice(-5).join("\n") || "It ended without a word.";
    this.#failures = performance.now() - startedAt > STEADY_MS ? 1 : this.#failures + 1;
    this.#restarts++;
    this.#become("waiting");
    const pause = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#failures - 1));
    this.#retry = setTimeout(() => this.#spawn(), pause);
  }

  #become(state: EngineProcessState["state"]): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#since = Date.now();
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves when the process is no longer in a state. */
  #untilNot(state: EngineProcessState["state"]): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#state === state) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }
}
