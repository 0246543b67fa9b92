import { StartProblem } from "@frontdesk/kit/problem";

/** SQLite's result codes for a file that is damaged, and for one that is no database. */
const DAMAGED = new Set([11, 26]);
/** Extended result codes hold the plain one in their last byte. */
const PLAIN = 0xff;

/** What SQLite's own check of a file found. */
export class DamagedFile extends Error {
  override name = "DamagedFile";
}

/** Whether the file itself is wrong: it takes a backup, or another file, to go on. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof DamagedFile || DAMAGED.has(((error as { errcode?: number }).errcode ?? 0) & PLAIN);

export const damagedDatabase = (path: string, error: unknown): StartProblem =>
  new StartProblem(`The database ${path} is damaged (${(error as Error).message}): restore a backup of it.`);
