import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { startSharedPeers } from "@frontdesk/testkit/shared-peers";
import { repository } from "./source-files.ts";

/** Only a test that hangs reaches it. */
const MAX_TEST_MS = 10 * 60_000;
const CONCURRENCY = 2;
/** What each file took, in seconds, when that was last kept: `npm test -- --keep-times`. */
const TIMES = join(repository, "checks/test-times.json");
/** Files that take less are not worth a line of their own. */
const WORTH_KEEPING_S = 3;

/**
 * A file that failed runs once more, alone, after all others: a machine that stood still for seconds proves nothing
 * about the code. The first failure is told all the same. More failed files than these are no accident.
 */
const MAX_RERUN_FILES = 2;

export interface TestRun {
  readonly passed: number;
  readonly failures: string[];
  readonly skips: string[];
  /** What failed among the others and passed alone. */
  readonly unsteady: string[];
  /** Seconds by file. */
  readonly times: ReadonlyMap<string, number>;
}

/** Runs test files, the longest first, so that none is left to run alone at the end. */
export async function runTests(files: readonly string[], { rerun }: { rerun: boolean }): Promise<TestRun> {
  // Files compile what they share once between them, and again only where it has changed.
  process.env.NODE_COMPILE_CACHE ??= join(repository, "node_modules/.cache/compile");
  // Also for those who start a program by another path to the same repository.
  process.env.NODE_COMPILE_CACHE_PORTABLE = "1";
  const peers = await startSharedPeers();
  try {
    const known = knownTimes();
    const ordered = [...files].sort((one, other) => (known[other] ?? 0) - (known[one] ?? 0));
    const results = await runFiles(ordered, CONCURRENCY);
    const times = new Map([...results].map(([file, { seconds }]) => [file, seconds]));
    const again = await runFiles(rerun ? worthRerun(results) : [], 1);
    return { ...summaryOf(results, again), times };
  } finally {
    await peers.stop();
  }
}

export interface FileResult {
  passed: number;
  readonly failures: string[];
  readonly skips: string[];
  seconds: number;
}

/** What counts: of a file that ran again, its second run. */
export function summaryOf(
  results: ReadonlyMap<string, FileResult>,
  reruns: ReadonlyMap<string, FileResult>,
): Omit<TestRun, "times"> {
  const last = [...results].map(([file, first]) => reruns.get(file) ?? first);
  const steadied = [...reruns].filter(([, { failures }]) => failures.length === 0);
  return {
    passed: last.reduce((sum, { passed }) => sum + passed, 0),
    failures: last.flatMap(({ failures }) => failures),
    skips: last.flatMap(({ skips }) => skips),
    unsteady: steadied.flatMap(([file]) => results.get(file)?.failures ?? []),
  };
}

export function worthRerun(results: ReadonlyMap<string, FileResult>): string[] {
  const failed = [...results].filter(([, { failures }]) => failures.length > 0).map(([file]) => file);
  return failed.length > MAX_RERUN_FILES ? [] : failed;
}

async function runFiles(files: readonly string[], concurrency: number): Promise<Map<string, FileResult>> {
  const results = new Map<string, FileResult>();
  if (files.length === 0) return results;
  const resultOf = (path = ""): FileResult => {
    const file = relative(repository, path);
    const result = results.get(file) ?? { passed: 0, failures: [], skips: [], seconds: 0 };
    results.set(file, result);
    return result;
  };
  const events = run({
    files: files.map((file) => join(repository, file)),
    concurrency,
    timeout: MAX_TEST_MS,
  });
  for await (const { type, data } of events) {
    if (type === "test:stderr") process.stderr.write(data.message);
    // The file itself is the outermost test, and carries its own path as its name.
    if (type === "test:complete" && data.name === data.file) {
      const seconds = data.details.duration_ms / 1_000;
      resultOf(data.file).seconds = seconds;
      const verdict = data.details.passed ? "ok" : "FAILED";
      console.log(`${verdict}  ${relative(repository, data.file)} (${seconds.toFixed(1)} s)`);
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    // A suite only repeats what its tests said.
    if (data.details.type === "suite") continue;
    const name = `${relative(repository, data.file ?? "")}: ${data.name}`;
    const result = resultOf(data.file);
    if (type === "test:fail") {
      const failure = `${name}\n${reason(data.details.error)}`;
      result.failures.push(failure);
      // At once too: whoever watches need not wait for the end, and a log that is cut off still tells it.
      console.log(`FAILED  ${failure}`);
    } else if (data.skip !== undefined)
      result.skips.push(`${name}: ${data.skip === true || data.skip === "" ? "no reason given" : data.skip}`);
    else result.passed++;
  }
  return results;
}

/** Keeps what the files took, for the order of the next runs. */
export function keepTimes(times: ReadonlyMap<string, number>): void {
  const worth = [...times].filter(([, seconds]) => seconds >= WORTH_KEEPING_S);
  const rows = worth.map(([file, seconds]) => [file, Math.round(seconds)] as const);
  rows.sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]));
  writeFileSync(TIMES, `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`);
}

function knownTimes(): Record<string, number> {
  return JSON.parse(readFileSync(TIMES, "utf8"));
}

function reason(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.stack ?? cause.message;
}
