import { appendFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs";
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

/**
 * Where log lines go: standard output, a file that is set aside when it is full, and the last lines
 * in memory for whoever asks.
 */
export class LogKeeper {
  readonly #path: string;
  /** They may change while it runs. */
  limits: LogLimits;
  readonly #ring: string[] = [];
  readonly #out: (line: string) => void;
  #size: number;

  constructor(path: string, limits: LogLimits, out: (line: string) => void) {
    this.#path = path;
    this.limits = limits;
    this.#out = out;
    this.#size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(line: string): void {
    this.#out(line);
    this.#ring.push(line);
    if (this.#ring.length > this.limits.ringLines) {
      this.#ring.splice(0, this.#ring.length - this.limits.ringLines);
    }
    try {
      if (this.#size + line.length > this.limits.fileBytes && this.#size > 0) this.#setAside();
      appendFileSync(this.#path, line, { mode: 0o600 });
      this.#size += Buffer.byteLength(line);
    } catch {
      // A full disk must not stop the server; standard output still has the line.
    }
  }

  /** The newest lines first. */
  lines(query: { level?: LevelName; text?: string; limit: number }): LogLine[] {
    const least = LOG_LEVELS.indexOf(query.level ?? "debug");
    const found: LogLine[] = [];
    for (let i = this.#ring.length - 1; i >= 0 && found.length < query.limit; i--) {
      const raw = this.#ring[i] as string;
      if (query.text && !raw.toLowerCase().includes(query.text.toLowerCase())) continue;
      const line = readable(raw);
      if (LOG_LEVELS.indexOf(line.level) >= least) found.push(line);
    }
    return found;
  }

  /** engine.log becomes engine.log.1, that one engine.log.2, and the oldest is gone. */
  #setAside(): void {
    const older = (n: number) => (n === 0 ? this.#path : `${this.#path}.${n}`);
    rmSync(older(this.limits.files - 1), { force: true });
    for (let n = this.limits.files - 2; n >= 0; n--) {
      if (existsSync(older(n))) renameSync(older(n), older(n + 1));
    }
    this.#size = 0;
  }
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
