import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { removeKept } from "@frontdesk/kit/kept-file";
import { type KeptTrial, keptTrialOf } from "@frontdesk/lease-config/kept-trial";
import { parseConfig } from "@frontdesk/lease-config/validate";
import { checkConfig } from "./config-file.ts";
import { replaceFile } from "./replace-file.ts";

const MAX_TRIAL_BYTES = 32 * 1024 * 1024;

/**
 * The trial that is kept; undefined when there is none, or none to be believed: it decides which configuration runs.
 * It must be a file of whoever owns its folder, writable by nobody else, and hold a configuration without mistakes.
 */
export function readTrial(path: string): KeptTrial | undefined {
  const kept = keptTrialOf(ownText(path) ?? "");
  return kept && checkConfig(kept.before, parseConfig).ok ? kept : undefined;
}

export const writeTrial = (path: string, trial: KeptTrial) => replaceFile(path, JSON.stringify(trial), 0o600);

/** On disk when it returns: a trial that came back after a power cut would take back what was confirmed. */
export const removeTrial = (path: string) => removeKept(path);

function ownText(path: string): string | undefined {
  let fd: number;
  try {
    // Without O_NONBLOCK a named pipe would hold up the start for ever.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const file = fstatSync(fd);
    const isOwn =
      file.isFile() &&
      file.nlink === 1 &&
      file.uid === statSync(dirname(path)).uid &&
      (file.mode & 0o022) === 0 &&
      file.size <= MAX_TRIAL_BYTES;
    return isOwn ? readFileSync(fd, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
