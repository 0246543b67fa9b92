import { DomainError } from "@frontdesk/kit/domain-error";

/** PostgreSQL shutting down, starting up, out of connections, giving up on a statement, or not to be connected to. */
const AWAY_CODES =
  /^(08...|53300|55000|57014|57P0[123]|ECONN\w{1,20}|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** What the driver says without a code: no answer, no connection of the pool came free in time, or one broke. */
const AWAY_WORDS =
  /^(Query read timeout|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered)/;
const SQLITE_BUSY = 5;
/** Extended result codes hold the plain one in their last byte. */
const PLAIN = 0xff;

/** When it is worth asking again. */
const RETRY_SECONDS = 2;

/** The database cannot be asked at the moment. Every service answers it with 503. */
export class DatabaseAway extends DomainError<"unavailable"> {
  override name = "DatabaseAway";

  constructor(cause: Error) {
    super("unavailable", "The database cannot be reached at the moment: try again shortly.", RETRY_SECONDS);
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
  const { code = "", errcode = 0 } = error as { code?: string; errcode?: number };
  return AWAY_CODES.test(String(code)) || AWAY_WORDS.test(error.message) || (errcode & PLAIN) === SQLITE_BUSY;
}
