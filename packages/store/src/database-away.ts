import { DomainError } from "@frontdesk/kit/domain-error";

/** PostgreSQL shutting down, starting up, out of connections, giving up on a statement or on an idle transaction, or not to be connected to. */
const AWAY_CODES =
  /^(08...|25P03|53300|55000|57014|57P0[123]|ECONN\w{1,20}|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** What the driver says without a code: no answer, no connection of the pool came free in time, or one broke. */
const AWAY_WORDS =
  /^(Query read timeout|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered)/;
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
/** Why nothing can be written, by SQLite's result code or PostgreSQL's SQLSTATE. */
const UNWRITABLE: Readonly<Record<string, string>> = {
  8: "it is read-only",
  10: "its disk reports errors",
  13: "its disk is full",
  14: "its files cannot be opened",
  53100: "its disk is full",
  25006: "it is read-only",
};
/** Extended result codes hold the plain one in their last byte. */
const PLAIN = 0xff;

/** When it is worth asking again. */
const RETRY_SECONDS = 2;

/** The database cannot be asked at the moment. Every service answers it with 503. */
export class DatabaseAway extends DomainError<"unavailable"> {
  override name = "DatabaseAway";

  constructor(cause: Error) {
    const problem = unwritable(cause);
    super(
      "unavailable",
      problem
        ? `The database cannot be written: ${problem}. The log of the service says more.`
        : "The database cannot be reached at the moment: try again shortly.",
      RETRY_SECONDS,
    );
    this.cause = cause;
  }
}

/** The error to throw instead of one that a database or its driver threw. */
export function databaseError(error: unknown): unknown {
  return isDatabaseAway(error) ? new DatabaseAway(error as Error) : error;
}

/** Whether something failed because the database cannot be asked at the moment: later it can. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as { code?: string };
  return (
    AWAY_CODES.test(String(code)) ||
    AWAY_WORDS.test(error.message) ||
    isLocked(error) ||
    unwritable(error) !== undefined
  );
}

/** Whether another process holds SQLite's write lock: it is worth trying again at once. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && (((error as { errcode?: number }).errcode ?? 0) & PLAIN) === SQLITE_BUSY;

/** Whether a write failed because SQLite found no room for it. */
export const isFull = (error: unknown): boolean =>
  error instanceof DatabaseAway &&
  (((error.cause as { errcode?: number }).errcode ?? 0) & PLAIN) === SQLITE_FULL;

function unwritable(error: Error): string | undefined {
  const { code = "", errcode } = error as { code?: string; errcode?: number };
  const key = errcode === undefined ? String(code) : String(errcode & PLAIN);
  return Object.hasOwn(UNWRITABLE, key) ? UNWRITABLE[key] : undefined;
}
