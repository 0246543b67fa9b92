/** A change of the configuration that is rolled back unless someone confirms it. */
export interface Trial {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** The same on disk, in the engine's folder, so that it ends in time after a restart too. */
export interface KeptTrial extends Trial {
  /** How long it was given. */
  readonly seconds: number;
  /** The configuration that ran before it. */
  readonly before: string;
  /** What the file said before it, when that was something else: an edit that nobody had taken up. */
  readonly fileBefore?: string | undefined;
  /** The trial that this one takes the place of: it is still in the file where the engine ended in between. */
  readonly over?: TrialTime | undefined;
}

export type TrialTime = Pick<KeptTrial, "version" | "deadline" | "seconds">;

export const TRIAL_FILE = "config-trial.json";
const MAX_TRIAL_SECONDS = 3600;

/**
 * Milliseconds that a trial has left. A wall clock that was set back while no engine ran gives it no more than it was
 * given at first.
 */
export const timeLeft = ({ deadline, seconds }: KeptTrial, now: number) =>
  Math.max(0, Math.min(deadline - now, seconds * 1000));

/** What is on trial where the configuration's file has this version; undefined when nothing is. */
export function trialOf(kept: KeptTrial | undefined, version: string | undefined): KeptTrial | undefined {
  if (kept?.version === version) return kept;
  return kept?.over && kept.over.version === version ? { ...kept, ...kept.over, over: undefined } : undefined;
}

/** What the file of a trial says; undefined when it says nothing of that kind. */
export function keptTrialOf(text: string): KeptTrial | undefined {
  try {
    const kept: unknown = JSON.parse(text);
    return isTrial(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isTrial(value: unknown): value is KeptTrial {
  if (!isTrialTime(value)) return false;
  const { before, fileBefore, over } = value as Partial<Record<keyof KeptTrial, unknown>>;
  return (
    typeof before === "string" &&
    (fileBefore === undefined || typeof fileBefore === "string") &&
    (over === undefined || isTrialTime(over))
  );
}

function isTrialTime(value: unknown): value is TrialTime {
  if (typeof value !== "object" || value === null) return false;
  const { version, deadline, seconds } = value as Partial<Record<keyof TrialTime, unknown>>;
  return (
    typeof version === "string" &&
    typeof seconds === "number" &&
    seconds > 0 &&
    seconds <= MAX_TRIAL_SECONDS &&
    typeof deadline === "number" &&
    !Number.isNaN(new Date(deadline).getTime())
  );
}
