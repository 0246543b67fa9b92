import { closeSync, constants, lstatSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Config } from "@frontdesk/lease-config/config";
import { LOG_LEVELS } from "@frontdesk/lease-control-api/schemas";

export interface LogLimits {
  readonly ringLines: number;
  readonly fileBytes: number;
  readonly files: number;
}

export const logLimitsOf = (config: Config): LogLimits => ({
  ringLines: config.logRingLines,
  fileBytes: config.logFileBytes,
  files: config.logFiles,
});

export interface LogLine {
  readonly time: string;
  readonly level: LevelName;
  readonly message: string;
  readonly details: Record<string, unknown>;
}

const LEVELS: Readonly<Record<number, LevelName>> = {
  10: "debug",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "error",
};
export type LevelName = (typeof LOG_LEVELS)[number];

/** Of a longer line, long texts in it are cut: a client's strings, or an error that holds a whole document. */
const MAX_LINE = 16 * 1024;
const MAX_TEXT = 1000;

/** Where else lines go, and who is told when the file begins to fail. */
export interface LogOutlets {
  line(line: string): void;
  failure(code: string): void;
}

/**
 * The folder belongs to the engine's user: a link that is put there must not choose what the engine writes to, and a
 * FIFO must not hold it up.
 */
const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Where log lines go: standard output, a file that is set aside when it is full, and the last lines
 * in memory for whoever asks.
 */
export class LogKeeper {
  readonly #path: string;
  /** They may change while it runs. */
  limits: LogLimits;
  readonly #ring: string[] = [];
  readonly #outlets: LogOutlets;
  #size: number;
  #failing = false;

  constructor(path: string, limits: LogLimits, outlets: LogOutlets) {
    this.#path = path;
    this.limits = limits;
    this.#outlets = outlets;
    this.#size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(whole: string): void {
    const line = whole.length > MAX_LINE ? shortened(whole) : whole;
    this.#outlets.line(line);
    this.#ring.push(line);
    if (this.#ring.length > this.limits.ringLines) {
      this.#ring.splice(0, this.#ring.length - this.limits.ringLines);
    }
    try {
      if (this.#size + line.length > this.limits.fileBytes && this.#size > 0) this.#setAside();
      append(this.#path, line);
      this.#size += Buffer.byteLength(line);
      this.#failing = false;
    } catch (error) {
      // A full disk must not stop the server; standard output still has the line.
      if (!this.#failing) this.#outlets.failure((error as NodeJS.ErrnoException).code ?? "error");
      this.#failing = true;
    }
  }

  /** The newest lines first. */
  lines(query: { level?: LevelName; text?: string; client?: string; limit: number }): LogLine[] {
    const least = LOG_LEVELS.indexOf(query.level ?? "debug");
    const found: LogLine[] = [];
    for (let i = this.#ring.length - 1; i >= 0 && found.length < query.limit; i--) {
      const raw = this.#ring[i] as string;
      if (query.text && !raw.toLowerCase().includes(query.text.toLowerCase())) continue;
      const line = readable(raw);
      if (query.client && !tellsOf(line.details, query.client)) continue;
      if (LOG_LEVELS.indexOf(line.level) >= least) found.push(line);
    }
    return found;
  }

  /** engine.log becomes engine.log.1, that one engine.log.2, and the oldest is gone. */
  #setAside(): void {
    const older = (n: number) => (n === 0 ? this.#path : `${this.#path}.${n}`);
    rmSync(older(this.limits.files - 1), { force: true });
    for (let n = this.limits.files - 2; n >= 0; n--) {
      if (lstatSync(older(n), { throwIfNoEntry: false })) renameSync(older(n), older(n + 1));
    }
    this.#size = 0;
  }
}

function shortened(line: string): string {
  const cut = (_: string, value: unknown) =>
    typeof value === "string" && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  const { level, time, service, msg, ...details } = JSON.parse(line, cut) as Record<string, unknown>;
  const shorter = JSON.stringify({ level, time, service, ...details, msg });
  // So many texts, or so many keys, that their beginnings are too long as well.
  return shorter.length > MAX_LINE
    ? `${JSON.stringify({ level, time, service, cut: shorter.slice(0, MAX_TEXT), msg })}\n`
    : `${shorter}\n`;
}

function append(path: string, line: string): void {
  const fd = openSync(path, APPEND, 0o600);
  try {
    writeFileSync(fd, line);
  } finally {
    closeSync(fd);
  }
}

/** Whether one of the details is this value, not only a part of one. */
function tellsOf(details: unknown, value: string): boolean {
  if (typeof details === "object" && details !== null)
    return Object.values(details).some((each) => tellsOf(each, value));
  return typeof details === "string" && details.toLowerCase() === value;
}

function readable(raw: string): LogLine {
  const { level, time, msg, service, ...details } = JSON.parse(raw) as Record<string, unknown>;
  return {
    time: new Date(Number(time)).toISOString(),
    level: LEVELS[Number(level)] ?? "info",
    message: String(msg ?? ""),
    details,
  };
}
