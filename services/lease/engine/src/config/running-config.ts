import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Log } from "@frontdesk/kit/log";
import type { Config } from "@frontdesk/lease-config/config";
import { ConfigError, type ConfigProblem } from "@frontdesk/lease-config/toml-document";
import { readConfig } from "@frontdesk/lease-config/validate";
import { versionOf } from "./config-file.ts";

/** What sockets, rights and listeners were opened for; these hold until the next start. */
const FIXED = {
  interfaces: "interfaces",
  listen: "listen",
  controlListen: "control_listen",
  controlToken: "control_token",
  controlOpen: "control_open",
  metricsListen: "metrics_listen",
  runAs: "run_as",
} as const;

/** After a rollback that failed. */
const RETRY_MS = 10_000;

/** What came of an attempt to change the configuration. */
export type ConfigOutcome =
  | { readonly kind: "applied"; readonly version: string; readonly restart: readonly string[] }
  | { readonly kind: "refused"; readonly problems: readonly ConfigProblem[] }
  /** The file is not what the caller has seen. */
  | { readonly kind: "changed"; readonly version: string }
  | { readonly kind: "unwritable"; readonly reason: string };

/** A change that is taken back unless someone confirms it. */
export interface Trial {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

interface KeptTrial extends Trial {
  readonly before: string;
}

export interface RunningConfigParts {
  readonly path: string;
  /** Where a trial is kept, so that it ends in time after a restart too. */
  readonly trialPath: string;
  readonly text: string;
  readonly config: Config;
  /** Hands the text to the packet thread. */
  readonly apply: (text: string, version: string) => Promise<readonly ConfigProblem[]>;
  readonly onApplied: (config: Config) => void;
  readonly onRefused: () => void;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly now: () => number;
  /** Calls back once; answers how to call it off. */
  readonly schedule: (milliseconds: number, act: () => void) => () => void;
}

/** The configuration that runs, the file it came from, and every way to change it: one at a time. */
export class RunningConfig {
  readonly #parts: RunningConfigParts;
  readonly #started: Config;
  #running: { text: string; version: string; config: Config };
  #queue: Promise<unknown> = Promise.resolve();
  #trial: KeptTrial | undefined;
  #callOff: () => void = () => {};

  constructor(parts: RunningConfigParts) {
    this.#parts = parts;
    this.#started = parts.config;
    this.#running = { text: parts.text, version: versionOf(parts.text), config: parts.config };
    const kept = readTrial(parts.trialPath);
    if (kept?.version === this.#running.version) this.#watch(kept);
    else rmSync(parts.trialPath, { force: true });
  }

  get config(): Config {
    return this.#running.config;
  }

  get running(): { readonly text: string; readonly version: string } {
    return this.#running;
  }

  get trial(): Trial | undefined {
    return this.#trial && { version: this.#trial.version, deadline: this.#trial.deadline };
  }

  /** The settings that are changed and wait for a restart. */
  get restart(): readonly string[] {
    const [before, now] = [this.#started, this.#running.config];
    return Object.entries(FIXED)
      .filter(
        ([key]) => JSON.stringify(before[key as keyof Config]) !== JSON.stringify(now[key as keyof Config]),
      )
      .map(([, name]) => name);
  }

  /** The file as it is now; undefined when it cannot be read. */
  file(): { readonly text: string; readonly version: string } | undefined {
    try {
      const text = readFileSync(this.#parts.path, "utf8");
      return { text, version: versionOf(text) };
    } catch {
      return undefined;
    }
  }

  /** Takes up the file: all of it, or nothing. */
  reload(): Promise<ConfigOutcome> {
    return this.#inTurn(async () => {
      const file = this.file();
      if (!file) return this.#refuse([{ line: 1, column: 1, message: "the file cannot be read." }]);
      return this.#settled(await this.#apply(file.text));
    });
  }

  /** Writes the file and takes it up, if it is still the one the caller has seen. */
  write(text: string, seen: string): Promise<ConfigOutcome> {
    return this.#inTurn(async () => this.#settled(await this.#write(text, seen)));
  }

  /** The same, and back again unless `confirm` comes within the time. */
  tryOut(text: string, seen: string, seconds: number): Promise<ConfigOutcome> {
    return this.#inTurn(async () => {
      const before = this.#trial?.before ?? this.#running.text;
      const deadline = this.#parts.now() + seconds * 1000;
      const trial = { version: versionOf(text), deadline, before };
      const outcome = await this.#write(text, seen, () => this.#keepTrial(trial));
      if (outcome.kind === "applied") this.#watch(trial);
      else if (this.#trial) this.#keepTrial(this.#trial);
      else rmSync(this.#parts.trialPath, { force: true });
      return outcome;
    });
  }

  /** Keeps what is being tried out; false when nothing of that version is. */
  confirm(version: string): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#trial?.version !== version) return false;
      this.#endTrial();
      return true;
    });
  }

  /** Takes back what is being tried out, now. */
  rollBack(): Promise<ConfigOutcome | undefined> {
    return this.#inTurn(async () => {
      const trial = this.#trial;
      if (!trial) return undefined;
      const file = this.file();
      const outcome = await this.#write(trial.before, file?.version ?? "");
      if (outcome.kind === "applied") {
        this.#endTrial();
        this.#parts.log.warn({ version: trial.version }, "configuration rolled back");
      } else {
        this.#parts.log.error(
          { version: trial.version, outcome },
          "configuration could not be rolled back; trying again",
        );
        this.#watch({ ...trial, deadline: this.#parts.now() + RETRY_MS });
      }
      return outcome;
    });
  }

  close(): void {
    this.#callOff();
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #write(text: string, seen: string, before: () => void = () => {}): Promise<ConfigOutcome> {
    const file = this.file();
    if (file && file.version !== seen) return { kind: "changed", version: file.version };
    const problems = problemsOf(text);
    if (problems.length > 0) return this.#refuse(problems);
    try {
      before();
      replaceFile(this.#parts.path, text, 0o600);
    } catch (error) {
      return { kind: "unwritable", reason: (error as NodeJS.ErrnoException).code ?? "error" };
    }
    return this.#apply(text);
  }

  async #apply(text: string): Promise<ConfigOutcome> {
    const version = versionOf(text);
    const problems = problemsOf(text);
    const refused = problems.length > 0 ? problems : await this.#parts.apply(text, version);
    if (refused.length > 0) return this.#refuse(refused);
    this.#running = { text, version, config: readConfig(text) };
    this.#parts.onApplied(this.#running.config);
    const { restart } = this;
    this.#parts.log.info({ version, restart }, "configuration applied");
    return { kind: "applied", version, restart };
  }

  /** Who brings in another version while one is being tried out has the matter in hand: the trial is over. */
  #settled(outcome: ConfigOutcome): ConfigOutcome {
    if (outcome.kind === "applied" && this.#trial && outcome.version !== this.#trial.version)
      this.#endTrial();
    return outcome;
  }

  #keepTrial(trial: KeptTrial): void {
    replaceFile(this.#parts.trialPath, JSON.stringify(trial), 0o600);
  }

  #refuse(problems: readonly ConfigProblem[]): ConfigOutcome {
    this.#parts.onRefused();
    this.#parts.log.warn({ problems }, "configuration rejected; the running one stays");
    return { kind: "refused", problems };
  }

  #watch(trial: KeptTrial): void {
    this.#callOff();
    this.#trial = trial;
    this.#callOff = this.#parts.schedule(Math.max(0, trial.deadline - this.#parts.now()), () => {
      this.rollBack().catch((error) => this.#parts.log.error({ err: error }, "rolling back failed"));
    });
  }

  #endTrial(): void {
    this.#callOff();
    this.#trial = undefined;
    rmSync(this.#parts.trialPath, { force: true });
  }
}

export function problemsOf(text: string): readonly ConfigProblem[] {
  try {
    readConfig(text);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function readTrial(path: string): KeptTrial | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as KeptTrial;
  } catch {
    return undefined;
  }
}

/** Before a start: a trial that ran out while no engine ran is taken back; answers whether one was. */
export function endOverdueTrial(path: string, trialPath: string, now: number): boolean {
  const trial = readTrial(trialPath);
  if (!trial || trial.deadline > now) return false;
  // A file that was changed since is somebody's decision.
  const untouched = versionOf(readFileSync(path, "utf8")) === trial.version;
  if (untouched) replaceFile(path, trial.before, 0o600);
  rmSync(trialPath, { force: true });
  return untouched;
}

/** On disk whole or not at all: a new file beside it takes its place. */
function replaceFile(path: string, text: string, mode: number): void {
  const beside = join(dirname(path), `.${process.pid}.new`);
  const kept = statSync(path, { throwIfNoEntry: false })?.mode ?? mode;
  // Never through a link that someone has put there.
  rmSync(beside, { force: true });
  const fd = openSync(beside, "wx", mode);
  try {
    // Writes on until all is written, or throws: a full disk takes the beginning of a text without complaint.
    writeFileSync(fd, text);
    fchmodSync(fd, kept & 0o777);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(beside, path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
