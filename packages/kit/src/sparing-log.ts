import { type Clock, monotonicClock } from "./clock.ts";

type Say = (fields: Readonly<Record<string, unknown>>, text: string) => void;

/** Where failures of what is tried again and again are told. */
export interface FailureLog {
  readonly error: Say;
  readonly warn: Say;
}

const EVERY_MS = 60_000;
/** Of more than so many different ones in that time, each is told each time: nothing is kept back unsaid. */
const MAX_REMEMBERED = 1_000;

/** With its cause: what is told to callers is the same for many. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause ? `${error}: ${error.cause}` : String(error);

/**
 * Tells the same failure once a minute: what is tried several times a second would fill a disk with its log while a
 * database is away for a night.
 */
export function sparingLog(log: FailureLog, monotonic: Clock = monotonicClock): FailureLog {
  /** The oldest comes first. */
  const told = new Map<string, number>();

  const isNews = (fields: Readonly<Record<string, unknown>>, text: string): boolean => {
    const now = monotonic.now();
    for (const [known, at] of told) {
      if (now - at < EVERY_MS) break;
      told.delete(known);
    }
    const key = JSON.stringify([text, { ...fields, err: reasonOf(fields.err) }]);
    if (told.has(key)) return false;
    if (told.size < MAX_REMEMBERED) told.set(key, now);
    return true;
  };

  const saying =
    (level: "error" | "warn"): Say =>
    (fields, text) => {
      if (isNews(fields, text)) log[level](fields, text);
    };
  return { error: saying("error"), warn: saying("warn") };
}
