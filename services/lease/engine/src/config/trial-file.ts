import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { removeKept } from "@frontdesk/kit/kept-file";
import { checkConfig } from "./config-file.ts";
import { replaceFile } from "./replace-file.ts";

/** A change that is rolled back unless someone confirms it. */
export interface Trial {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** The same on disk, so that it ends in time after a restart too. */
export interface KeptTrial extends Trial {
  /** How long it was given. */
  readonly seconds: number;
  /** The configuration that ran before it. */
  readonly before: string;
  /** What the file said before it, when that was something else: an edit that nobody had taken up. */
  readonly fileBefore?: string | undefined;
}

export const MAX_TRIAL_SECONDS = 3600;
const MAX_TRIAL_BYTES = 32 * 1024 * 1024;

/**
 * Milliseconds that a trial has left. A wall clock that was set back while no engine ran gives it no more than it was
 * given at first.
 */
export const timeLeft = ({ deadline, seconds }: KeptTrial, now: number) =>
  Math.max(0, Math.min(deadline - now, seconds * 1000));

/**
 * The trial that is kept; undefined when there is none, or none to be believed: it decides which configuration runs.
 * It must be a file of whoever owns its folder, writable by nobody else, and hold a configuration without mistakes.
 */
export function readTrial(path: string): KeptTrial | undefined {
  const text = ownText(path);
  if (text === undefined) return undefined;
  try {
    const kept: unknown = JSON.parse(text);
    return isTrial(kept) && checkConfig(kept.before).ok ? kept : undefined;
  } catch {
    return undefined;
  }
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

function isTrial(value: unknown): value is KeptTrial {
  if (typeof value !== "object" || value === null) return false;
  const { version, deadline, seconds, before, fileBefore } = value as Partial<
    Record<keyof KeptTrial, unknown>
  >;
  return (
    typeof version === "string" &&
    typeof before === "string" &&
    (fileBefore === undefined || typeof fileBefore === "string") &&
    typeof seconds === "number" &&
    seconds > 0 &&
    seconds <= MAX_TRIAL_SECONDS &&
    typeof deadline === "number" &&
    !Number.isNaN(new Date(deadline).getTime())
  );
}
