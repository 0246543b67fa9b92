import type { NameResult, NameRow } from "../leases/dns-name.ts";
import { asMissing } from "./name-reconciler.ts";

const RETRY_EVERY_MS = 5 * 60_000;
/** Names of one step; the others come with the next ones. */
const MAX_NAMES = 100;

export interface ConflictRetryParts {
  readonly names: {
    /** Names that somebody waits for, in their order, after the given one. */
    inConflict(after: string, limit: number): string[];
    /** Rows of the client that has waited longest until a name is free. */
    firstInConflict(name: string): NameRow[];
  };
  /** Resolves when it is on disk; false when it could not be written. */
  readonly settle: (results: readonly NameResult[]) => Promise<boolean>;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

/**
 * In a pair, the other server frees names without telling when they have left DNS: those who wait for one try it again
 * now and then. Called often; does nothing until it is time.
 */
export function createConflictRetry({ names, settle, monotonic }: ConflictRetryParts) {
  let due = monotonic() + RETRY_EVERY_MS;
  let after = "";
  return async (): Promise<void> => {
    if (monotonic() < due) return;
    due = monotonic() + RETRY_EVERY_MS;
    const waited = names.inConflict(after, MAX_NAMES);
    after = (waited.length === MAX_NAMES && waited.at(-1)) || "";
    const rows = waited.flatMap((name) => names.firstInConflict(name));
    // As if tried already: new names do not wait behind them.
    if (rows.length > 0) await settle(rows.map((row) => ({ ...asMissing(row), tries: 1 })));
  };
}
