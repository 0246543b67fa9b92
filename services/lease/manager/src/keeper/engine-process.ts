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
  #isWanted = false;
  #isStoppedOnPurpose = false;
  #since = Date.now();
  #restarts = 0;
  #failures = 0;
  /** Why it ended last, until it runs or is stopped: while it is tried again, nothing is well yet. */
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
      isStoppedOnPurpose: this.#isStoppedOnPurpose,
      problem: this.#problem,
    };
  }

  start(): Promise<EngineProcessState> {
    this.#want(true);
    return this.#started();
  }

  async stop(): Promise<EngineProcessState> {
    this.#want(false);
    await this.#stopped();
    return this.state;
  }

  async restart(): Promise<EngineProcessState> {
    this.#want(true);
    await this.#stopped();
    return this.#started();
  }

  #want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#isStoppedOnPurpose = !isWanted;
  }

  /** Somebody else may have asked for the opposite meanwhile: the last one counts. */
  async #started(): Promise<EngineProcessState> {
    await this.#untilNot("stopping");
    const isIdle = this.#state === "stopped" || this.#state === "waiting";
    if (this.#isWanted && isIdle) this.#spawn();
    await this.#untilNot("starting");
    return this.state;
  }

  async #stopped(): Promise<void> {
    clearTimeout(this.#retry);
    const child = this.#child;
    if (!child) return this.#rest();
    this.#become("stopping");
    child.kill("SIGTERM");
    const kill = setTimeout(() => child.kill("SIGKILL"), MAX_STOP_MS);
    await this.#untilNot("stopping");
    clearTimeout(kill);
  }

  #rest(): void {
    this.#problem = null;
    this.#failures = 0;
    this.#become("stopped");
  }

  #spawn(): void {
    clearTimeout(this.#retry);
    let told: string | undefined;
    this.#output = "";
    this.#become("starting");
    const child = spawn(process.execPath, [this.#program], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#child = child;
    const startedAt = performance.now();
    child.on("message", ({ ready, problem }: { ready?: unknown; problem?: string }) => {
      told = problem ?? told;
      if (!ready || this.#state !== "starting") return;
      this.#problem = null;
      this.#become("running");
    });
    const hear = (chunk: Buffer) => {
      this.#output = (this.#output + chunk).slice(-MAX_OUTPUT);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    // Not started at all: "exit" does not come then.
    child.on("error", (error) => {
      told = error.message;
      if (child.pid === undefined) this.#ended(child, startedAt, told);
    });
    child.on("exit", () => this.#ended(child, startedAt, told));
  }

  #ended(child: ChildProcess, startedAt: number, told: string | undefined): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#state === "stopping") {
      this.#rest();
      return;
    }
    const lastLines = this.#output.trim().split("\n").slice(-5).join("\n");
    this.#problem = told ?? (lastLines || "It ended without a word.");
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
