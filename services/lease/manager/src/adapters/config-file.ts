import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "@frontdesk/kit/domain-error";
import { removeKept, syncFolder, writeWhole } from "@frontdesk/kit/kept-file";
import { regularFileText } from "@frontdesk/kit/regular-file";
import type { Config } from "@frontdesk/lease-config/config";
import { type KeptTrial, keptTrialOf, timeLeft, trialOf } from "@frontdesk/lease-config/kept-trial";
import { ConfigError } from "@frontdesk/lease-config/toml-document";
import { parseNewConfig, readConfig } from "@frontdesk/lease-config/validate";
import { type Problems, REFUSALS } from "@frontdesk/lease-control-api/schemas";
import { refuse } from "../domain/codes.ts";
import { versionOf } from "../domain/config-version.ts";
import type { ConfigAnswer, Engine } from "../domain/engine.ts";
import type { Keeper } from "../domain/keeper.ts";
import { engineRunsIn } from "./engine-lock.ts";

const LOOK_MS = 100;
const MAX_LOOKS = 200;
const MAX_LOOKS_AFTER = 20;

export interface ConfigFiles {
  readonly path: string;
  /** Where the engine keeps a trial, which goes on when it starts again. */
  readonly trialPath: string;
  readonly now: () => number;
}

/**
 * The engine, or its configuration file where no engine runs: one that does not start because of its configuration can
 * be put right. While an engine runs, it alone reads and writes the file.
 */
export function withConfigFile(
  engine: Engine,
  keeper: Keeper,
  { path, trialPath, now }: ConfigFiles,
): Engine {
  /**
   * An engine that cannot start is started again and again: whoever asks meanwhile waits until it is known. Beside a keeper
   * that hangs its engine runs on.
   */
  const isStopped = async () => {
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const { state } = await keeper.state();
      if (state !== "starting" && state !== "stopping")
        return state !== "running" && !engineRunsIn(dirname(trialPath));
      await delay(LOOK_MS);
    }
    return false;
  };
  /** Of a file that was changed since, there is none. */
  const openTrial = (): KeptTrial | undefined => {
    const kept = keptTrialOf(regularFileText(trialPath) ?? "");
    return kept && existsSync(path) ? trialOf(kept, versionOf(readText(path))) : undefined;
  };
  /** For good: what was on trial is over, on disk too, or the next engine would take this back. */
  const settle = (text: string): ConfigAnswer => {
    try {
      writeWhole(path, text, statSync(path).mode & 0o777);
      syncFolder(dirname(path));
      if (existsSync(trialPath)) removeKept(trialPath);
    } catch {
      return refuse("config_unwritable");
    }
    return { kind: "applied", applied: { version: versionOf(text), restart: [], trial: null } };
  };
  /** Kept as an engine keeps it: the next one gives it its time, and takes it back. Also where that is the second trial. */
  const tryOut = (text: string, before: string, seconds: number): ConfigAnswer => {
    const over = openTrial();
    const trial: KeptTrial = {
      version: versionOf(text),
      deadline: now() + seconds * 1000,
      seconds,
      before: over?.before ?? before,
      fileBefore: over?.fileBefore,
      over: over && { version: over.version, deadline: over.deadline, seconds: over.seconds },
    };
    try {
      writeWhole(trialPath, JSON.stringify(trial), 0o600);
      syncFolder(dirname(trialPath));
      writeWhole(path, text, statSync(path).mode & 0o777);
      syncFolder(dirname(path));
    } catch {
      if (openTrial()?.version !== trial.version) forget(over);
      return refuse("config_unwritable");
    }
    return {
      kind: "applied",
      applied: { version: trial.version, restart: [], trial: shown(trial) },
    };
  };
  /** What was not written after all: whoever then writes the same by hand has not put it on trial. */
  const forget = (over: KeptTrial | undefined): void => {
    try {
      if (over) writeWhole(trialPath, JSON.stringify(over), 0o600);
      else if (existsSync(trialPath)) removeKept(trialPath);
    } catch {
      // What cannot be written stays: an engine that starts forgets it, too, unless the file says that by then.
    }
  };
  const shown = (trial: KeptTrial) => ({
    version: trial.version,
    ends_at: new Date(trial.deadline).toISOString(),
    seconds_left: Math.ceil(timeLeft(trial, now()) / 1000),
  });
  const config: Engine["config"] = async () => {
    if (!(await isStopped())) return engine.config();
    const text = readText(path);
    const version = versionOf(text);
    const trial = openTrial();
    return {
      running: version,
      file: version,
      restart: [],
      trial: trial ? shown(trial) : null,
      text,
      file_text: text,
    };
  };
  /** An engine that went away while it wrote may have written: then the next one runs by it. */
  const ifWritten = async (text: string, error: unknown): Promise<ConfigAnswer> => {
    if ((error as DomainError).code !== "engine_unanswered") throw error;
    // For a moment one that has just died still counts as running.
    for (let looks = 0; looks < MAX_LOOKS_AFTER; looks++) {
      const now = await config().catch(() => undefined);
      if (now?.file === versionOf(text)) {
        return { kind: "applied", applied: { version: now.file, restart: now.restart, trial: now.trial } };
      }
      if (now) break;
      await delay(LOOK_MS);
    }
    throw error;
  };
  return {
    ...engine,
    config,
    checkConfig: async (text) => {
      if (!(await isStopped())) return engine.checkConfig(text);
      const checked = check(text, readText(path));
      if ("problems" in checked) return { ok: false, problems: checked.problems };
      const { subnets, pools } = checked;
      const addresses = pools.reduce((sum, { first, last }) => sum + last - first + 1, 0);
      return { ok: true, checked: { version: versionOf(text), subnets: subnets.length, addresses } };
    },
    writeConfig: async (text, seen, confirmWithin) => {
      if (!(await isStopped())) {
        return engine.writeConfig(text, seen, confirmWithin).catch((error) => ifWritten(text, error));
      }
      const before = readText(path);
      const found = versionOf(before);
      if (found !== seen) return { kind: "changed", version: found };
      const checked = check(text, before);
      if ("problems" in checked) return { kind: "wrong", problems: checked.problems };
      // No engine goes back to what none can start with.
      const isTrial = confirmWithin !== undefined && configIn(before) !== undefined;
      return isTrial ? tryOut(text, before, confirmWithin) : settle(text);
    },
    confirmConfig: async (version) => {
      if (!(await isStopped())) return engine.confirmConfig(version);
      const trial = openTrial();
      if (trial?.version !== version || timeLeft(trial, now()) === 0) return noTrial();
      removeKept(trialPath);
    },
    rollBackConfig: async (version) => {
      if (!(await isStopped())) return engine.rollBackConfig(version);
      const trial = openTrial() ?? noTrial();
      if (version !== undefined && version !== trial.version) return noTrial();
      return settle(trial.fileBefore ?? trial.before);
    },
  };
}

const noTrial = (): never => {
  throw new DomainError("no_trial", REFUSALS.no_trial);
};

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return refuse("engine_away");
  }
}

function check(text: string, before: string): Config | Pick<Problems, "problems"> {
  try {
    return parseNewConfig(text, configIn(before)).config;
  } catch (error) {
    if (error instanceof ConfigError) return { problems: [...error.problems] };
    throw error;
  }
}

/** Undefined where something is wrong with it. */
function configIn(text: string): Config | undefined {
  try {
    return readConfig(text);
  } catch {
    return undefined;
  }
}
