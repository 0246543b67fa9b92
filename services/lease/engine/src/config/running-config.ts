import { readFileSync } from "node:fs";
import type { Log } from "@frontdesk/kit/log";
import type { Config } from "@frontdesk/lease-config/config";
import {
  type KeptTrial,
  type Trial,
  type TrialTime,
  timeLeft,
  trialOf,
} from "@frontdesk/lease-config/kept-trial";
import type { RawConfig } from "@frontdesk/lease-config/raw-config";
import type { ConfigProblem } from "@frontdesk/lease-config/toml-document";
import { parseConfig, parseNewConfig } from "@frontdesk/lease-config/validate";
import { type Checked, checkConfig, versionOf } from "./config-file.ts";
import { replaceFile } from "./replace-file.ts";
import { readTrial, removeTrial, writeTrial } from "./trial-file.ts";

/** What sockets, rights and listeners were opened for; these hold until the next start. */
const FIXED = {
  interfaces: "interfaces",
  listen: "listen",
  listen6: "listen6",
  dhcpv6Enabled: "dhcpv6.enabled",
  controlListen: "control_listen",
  controlToken: "control_token",
  controlOpen: "control_open",
  metricsListen: "metrics_listen",
  runAs: "run_as",
  ha: "ha",
} as const;
/** And these for one of a pair: its peer knows clients by them. */
const FIXED_IN_PAIR = { ...FIXED, identity: "identity" } as const;

/** Of the problems of a configuration; whoever sent it is told more of them. */
const MAX_LOGGED = 5;
/** After a rollback that failed. */
const RETRY_MS = 10_000;

/** What came of an attempt to change the configuration. */
export type ConfigOutcome =
  | { readonly kind: "applied"; readonly version: string; readonly restart: readonly string[] }
  | { readonly kind: "refused"; readonly problems: readonly ConfigProblem[] }
  /** The file is not what the caller has seen. */
  | { readonly kind: "changed"; readonly version: string }
  | { readonly kind: "unwritable"; readonly reason: string };

export interface RunningConfigParts {
  readonly path: string;
  /** Where a trial is kept, so that it ends in time after a restart too. */
  readonly trialPath: string;
  readonly text: string;
  readonly config: Config;
  /** Hands it to the packet thread. */
  readonly apply: (raw: RawConfig, version: string) => Promise<void>;
  /** Why a configuration that is right in itself cannot be this engine's; undefined when it can. */
  readonly problemOf?: (checked: { raw: RawConfig; config: Config }) => ConfigProblem | undefined;
  readonly onApplied: (config: Config) => void;
  readonly onRefused: () => void;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly now: () => number;
  /** Never set: by it a trial has the time that its timer gives it. */
  readonly monotonic: () => number;
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
  /** When its timer rings, by the monotonic clock. */
  #trialEnds = 0;
  #callOff: () => void = () => {};

  constructor(parts: RunningConfigParts) {
    this.#parts = parts;
    this.#started = parts.config;
    this.#running = { text: parts.text, version: versionOf(parts.text), config: parts.config };
    const kept = readTrial(parts.trialPath);
    const { version } = this.#running;
    const open = trialOf(kept, version);
    const inFile = trialOf(kept, this.file()?.version);
    // Its time ran out while no engine ran: the one before runs again, and the file is still to be put right.
    if (inFile && versionOf(inFile.before) === version) this.#watch({ ...inFile, deadline: parts.now() });
    else if (open) this.#watch(open);
    else removeTrial(parts.trialPath);
  }

  get config(): Config {
    return this.#running.config;
  }

  get running(): { readonly text: string; readonly version: string } {
    return this.#running;
  }

  get trial(): (Trial & { readonly secondsLeft: number }) | undefined {
    const trial = this.#openTrial;
    if (!trial) return undefined;
    const left = Math.max(0, this.#trialEnds - this.#parts.monotonic());
    return { version: trial.version, deadline: trial.deadline, secondsLeft: Math.ceil(left / 1000) };
  }

  /** The settings that are changed and wait for a restart. */
  get restart(): readonly string[] {
    const [before, now] = [this.#started, this.#running.config];
    return Object.entries(before.ha ? FIXED_IN_PAIR : FIXED)
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

  /** What a text says, or what is wrong with it for this engine. */
  check(text: string, parse = (text: string) => parseNewConfig(text, this.#running.config)): Checked {
    const checked = checkConfig(text, parse);
    const problem = checked.ok ? this.#parts.problemOf?.(checked) : undefined;
    return problem ? { ok: false, problems: [problem] } : checked;
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
    return this.#inTurn(async () => {
      const outcome = await this.#write(text, seen);
      // Also of what is being tried out: who writes it for good keeps it.
      if (outcome.kind === "applied" && this.#trial) this.#endTrial();
      return outcome;
    });
  }

  /** The same, and back again unless `confirm` comes within the time. */
  tryOut(text: string, seen: string, seconds: number): Promise<ConfigOutcome> {
    return this.#inTurn(async () => {
      const before = this.#trial?.before ?? this.#running.text;
      const deadline = this.#parts.now() + seconds * 1000;
      const { trialPath } = this.#parts;
      let trial: KeptTrial | undefined;
      let outcome: ConfigOutcome | undefined;
      try {
        outcome = await this.#write(text, seen, (file = before) => {
          const over = trialOf(this.#trial, versionOf(file));
          const untaken = file === before ? undefined : file;
          const fileBefore = over ? over.fileBefore : untaken;
          trial = {
            version: versionOf(text),
            deadline,
            seconds,
            before,
            fileBefore,
            over: over && timeOf(over),
          };
          writeTrial(trialPath, trial);
        });
        return outcome;
      } finally {
        if (outcome?.kind === "applied" && trial) this.#watch(trial);
        else if (this.#trial) writeTrial(trialPath, this.#trial);
        else removeTrial(trialPath);
      }
    });
  }

  /** Keeps what is being tried out; false when nothing of that version is. */
  confirm(version: string): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#openTrial?.version !== version) return false;
      this.#endTrial();
      return true;
    });
  }

  /**
   * Takes back what is being tried out, now: first what runs, then the file. One that cannot be written is tried
   * again; one that was edited meanwhile is somebody's work and stays. With a version, only if that is what is tried
   * out.
   */
  rollBack(version?: string): Promise<ConfigOutcome | undefined> {
    return this.#rollBack((trial) => version === undefined || version === trial.version);
  }

  #rollBack(isMeant: (trial: KeptTrial) => boolean): Promise<ConfigOutcome | undefined> {
    return this.#inTurn(async () => {
      const trial = this.#trial;
      if (!trial || !isMeant(trial)) return undefined;
      const { version } = trial;
      const outcome = await this.#runBefore(trial);
      if (outcome.kind !== "applied") {
        this.#parts.log.error({ version, outcome }, "configuration could not be rolled back; trying again");
        this.#retry(trial);
        return outcome;
      }
      const reason = this.#fileBack(trial);
      if (reason !== undefined) {
        this.#parts.log.error({ version, reason }, "the file could not be rolled back; trying again");
        this.#retry(trial);
        return { kind: "unwritable", reason };
      }
      this.#endTrial();
      return outcome;
    });
  }

  /** The file as it was before a trial; answers with why it could not be written. */
  #fileBack({ version, before, fileBefore = before }: KeptTrial): string | undefined {
    const { path, log } = this.#parts;
    const file = this.file();
    if (file && file.version !== version) {
      if (file.text !== fileBefore)
        log.warn({ path }, "the file was edited meanwhile and is not rolled back");
      return undefined;
    }
    try {
      replaceFile(path, fileBefore, 0o600);
      return undefined;
    } catch (error) {
      return codeOf(error);
    }
  }

  close(): void {
    this.#callOff();
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => {});
    return done;
  }

  /** `prepare` is told what the file says, and runs before it is written. */
  async #write(
    text: string,
    seen: string,
    prepare: (file: string | undefined) => void = () => {},
  ): Promise<ConfigOutcome> {
    const over = this.#trial;
    // Rolled back but for the file: nobody's change is made of what that still says.
    if (over && !this.#openTrial) {
      const reason = this.#fileBack(over);
      if (reason !== undefined) return { kind: "unwritable", reason };
      this.#endTrial();
    }
    const file = this.file();
    if (file && file.version !== seen) return { kind: "changed", version: file.version };
    const checked = this.check(text);
    if (!checked.ok) return this.#refuse(checked.problems);
    try {
      prepare(file?.text);
      replaceFile(this.#parts.path, text, 0o600);
    } catch (error) {
      return { kind: "unwritable", reason: codeOf(error) };
    }
    const running = this.#running;
    try {
      return await this.#apply(text, checked);
    } catch (error) {
      if (this.#running === running) this.#writeBack(file?.text ?? running.text);
      throw error;
    }
  }

  /** After a file was written that could not be taken up: the next start shall not run it unseen. */
  #writeBack(text: string): void {
    try {
      replaceFile(this.#parts.path, text, 0o600);
    } catch (error) {
      const { path } = this.#parts;
      this.#parts.log.error({ path, reason: codeOf(error) }, "the file could not be written back");
    }
  }

  async #apply(text: string, checked = this.check(text)): Promise<ConfigOutcome> {
    if (!checked.ok) return this.#refuse(checked.problems);
    const version = versionOf(text);
    await this.#parts.apply(checked.raw, version);
    this.#running = { text, version, config: checked.config };
    this.#parts.onApplied(checked.config);
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

  /** What is being tried out, while it runs. */
  get #openTrial(): KeptTrial | undefined {
    return this.#trial?.version === this.#running.version ? this.#trial : undefined;
  }

  async #runBefore({ version, before }: KeptTrial): Promise<ConfigOutcome> {
    if (versionOf(before) === this.#running.version) {
      return { kind: "applied", version: this.#running.version, restart: this.restart };
    }
    const outcome = await this.#apply(before, this.check(before, parseConfig));
    if (outcome.kind === "applied") this.#parts.log.warn({ version }, "configuration rolled back");
    return outcome;
  }

  #refuse(problems: readonly ConfigProblem[]): ConfigOutcome {
    this.#parts.onRefused();
    const told = { problems: problems.slice(0, MAX_LOGGED), count: problems.length };
    this.#parts.log.warn(told, "configuration rejected; the running one stays");
    return { kind: "refused", problems };
  }

  #watch(trial: KeptTrial): void {
    this.#callOff();
    this.#trial = trial;
    const left = timeLeft(trial, this.#parts.now());
    this.#trialEnds = this.#parts.monotonic() + left;
    this.#callOff = this.#parts.schedule(left, () => {
      // While it waits for its turn, another may take the place of this one.
      this.#rollBack((open) => open === trial).catch((error) =>
        this.#parts.log.error({ err: error }, "rolling back failed"),
      );
    });
  }

  #retry(trial: KeptTrial): void {
    this.#watch({ ...trial, deadline: this.#parts.now() + RETRY_MS, seconds: RETRY_MS / 1000 });
  }

  /** First on disk: a trial that is still kept there would be taken back after a restart. */
  #endTrial(): void {
    removeTrial(this.#parts.trialPath);
    this.#callOff();
    this.#trial = undefined;
  }
}

const timeOf = ({ version, deadline, seconds }: KeptTrial): TrialTime => ({ version, deadline, seconds });

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "error";
