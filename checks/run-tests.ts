import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { startSharedPeers } from "@frontdesk/testkit/shared-peers";
import { repository } from "./source-files.ts";

/** Only a test that hangs reaches it. */
const MAX_TEST_MS = 10 * 60_000;
/** As many as there are cores: three at once on two of them took as long. */
const CONCURRENCY = 2;
/** Most of their time they wait for real DHCP clients and for what times out: they run beside the others, one at a time. */
const WAITING = [
  "services/lease/engine/test/clients.test.ts",
  "services/lease/engine/test/dhcp6-network.test.ts",
  "services/lease/engine/test/ha/network.test.ts",
  "services/lease/engine/test/network.test.ts",
];
/** What each file took, in seconds, when that was last kept: `npm test -- --keep-times`. */
const TIMES = join(repository, "checks/test-times.json");
/** Files that take less are not worth a line of their own. */
const WORTH_KEEPING_S = 3;

export interface TestRun {
  readonly passed: number;
  readonly failures: string[];
  readonly skips: string[];
  /** Seconds by file. */
  readonly times: ReadonlyMap<string, number>;
}

/** Runs test files, the longest first, so that none is left to run alone at the end. */
export async function runTests(files: readonly string[]): Promise<TestRun> {
  // Files compile what they share once between them, and again only where it has changed.
  process.env.NODE_COMPILE_CACHE ??= join(repository, "node_modules/.cache/compile");
  // Also for those who start a program by another path to the same repository.
  process.env.NODE_COMPILE_CACHE_PORTABLE = "1";
  const peers = await startSharedPeers();
  const failures: string[] = [];
  const skips: string[] = [];
  const times = new Map<string, number>();
  let passed = 0;
  const watch = async (files: readonly string[], concurrency: number) => {
    if (files.length === 0) return;
    const paths = files.map((file) => join(repository, file));
    for await (const { type, data } of run({ files: paths, concurrency, timeout: MAX_TEST_MS })) {
      if (type === "test:stderr") process.stderr.write(data.message);
      // The file itself is the outermost test, and carries its own path as its name.
      if (type === "test:complete" && data.name === data.file) {
        const file = relative(repository, data.file);
        const seconds = data.details.duration_ms / 1_000;
        times.set(file, seconds);
        console.log(`${data.details.passed ? "ok" : "FAILED"}  ${file} (${seconds.toFixed(1)} s)`);
      }
      if (type !== "test:pass" && type !== "test:fail") continue;
      // A suite only repeats what its tests said.
      if (data.details.type === "suite") continue;
      const name = `${relative(repository, data.file ?? "")}: ${data.name}`;
      if (type === "test:fail") {
        const failure = `${name}\n${reason(data.details.error)}`;
        failures.push(failure);
        // At once too: whoever watches need not wait for the end, and a log that is cut off still tells it.
        console.log(`FAILED  ${failure}`);
      } else if (data.skip !== undefined)
        skips.push(`${name}: ${data.skip === true || data.skip === "" ? "no reason given" : data.skip}`);
      else passed++;
    }
  };
  try {
    const known = knownTimes();
    const ordered = [...files].sort((one, other) => (known[other] ?? 0) - (known[one] ?? 0));
    const isWaiting = (file: string) => WAITING.includes(file);
    await Promise.all([
      watch(
        ordered.filter((file) => !isWaiting(file)),
        CONCURRENCY,
      ),
      watch(ordered.filter(isWaiting), 1),
    ]);
  } finally {
    await peers.stop();
  }
  return { passed, failures, skips, times };
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
