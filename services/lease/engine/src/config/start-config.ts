import { existsSync } from "node:fs";
import type { Config } from "@frontdesk/lease-config/config";
import { timeLeft, trialOf } from "@frontdesk/lease-config/kept-trial";
import { readConfig } from "@frontdesk/lease-config/validate";
import { loadConfigFile, versionOf } from "./config-file.ts";
import { readTrial } from "./trial-file.ts";

export interface StartConfig {
  readonly text: string;
  readonly config: Config;
  /** The files it was made of: whoever can write one of them has chosen what it says. */
  readonly sources: readonly string[];
}

/**
 * The configuration to start with: the file, or what was before it when it was a trial whose time ran out while no
 * engine ran. It only reads, because it runs with the rights of whoever starts the engine, maybe root's.
 */
export function startConfig(options: {
  path: string;
  trialPath: string;
  /** What holds where there is no file yet. */
  sample: string | undefined;
  now: number;
}): StartConfig {
  const { path, trialPath, sample, now } = options;
  if (sample !== undefined && !existsSync(path)) {
    return { text: sample, config: readConfig(sample), sources: [] };
  }
  const file = loadConfigFile(path);
  // A file that was changed since is somebody's decision.
  const trial = trialOf(readTrial(trialPath), versionOf(file.text));
  if (!trial || timeLeft(trial, now) > 0) return { ...file, sources: [path] };
  return { text: trial.before, config: readConfig(trial.before), sources: [path, trialPath] };
}
