/** PostgreSQL shutting down, starting up, out of connections, or not to be connected to. */
const AWAY_CODES =
  /^(08...|53300|55000|57P0[123]|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** What the driver says without a code: no connection of the pool came free in time, or one broke. */
const AWAY_WORDS = /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered)/;
const SQLITE_BUSY = 5;

/** Whether something failed because the database cannot be asked at the moment: later it can. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", errcode } = error as { code?: string; errcode?: number };
  return AWAY_CODES.test(code) || AWAY_WORDS.test(error.message) || errcode === SQLITE_BUSY;
}
