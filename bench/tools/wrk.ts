import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 2xx or 3xx, and connections that broke. */
  readonly failures: number;
}

/** Makes sure that wrk is there: found, or installed from Debian's packages by root. */
export function installWrk(): void {
  if (existsSync("/usr/bin/wrk")) return;
  execFileSync("apt-get", ["-qq", "update"], { stdio: "inherit" });
  execFileSync("apt-get", ["-qq", "-y", "install", "--no-install-recommends", "wrk"], { stdio: "inherit" });
}

/** A load from one thread of another process. The script is wrk's Lua and says what to ask for. */
export async function wrk(url: string, script: string, seconds: number, connections = 64): Promise<Load> {
  const words = [
    "--threads=1",
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    "--latency",
    "--timeout=10s",
  ];
  const { stdout } = await promisify(execFile)("wrk", [...words, `--script=${script}`, url]);
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const errors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout)?.slice(1) ?? [];
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    failures:
      number(/Non-2xx or 3xx responses: (\d+)/) + errors.reduce((sum, count) => sum + Number(count), 0),
  };
}

function milliseconds(match: RegExpExecArray | null): number {
  if (!match) return Number.NaN;
  return Number(match[1]) * { us: 0.001, ms: 1, s: 1000 }[match[2] as "us" | "ms" | "s"];
}
