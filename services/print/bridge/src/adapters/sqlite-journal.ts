import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import { applyVersions, openSqliteFile } from "@frontdesk/store/sqlite-file";
import { isFinal } from "../domain/job.ts";
import type { Entry, Journal, JournalEvent } from "../domain/journal.ts";
import { jobEvent, journalRows, type Kept, statusEvent } from "./journal-rows.ts";
import { JOURNAL_VERSIONS } from "./journal-versions.ts";

export interface JournalLimits {
  readonly finishedJobs: number;
  /** Results of tags, over all jobs. */
  readonly tags: number;
  /** Data of jobs that have ended, to print them again. */
  readonly reprintBytes?: number;
}

export interface JournalOptions {
  readonly limits?: Partial<JournalLimits>;
  /** A file that may not grow is full like a disk: for those who want to see that. */
  readonly maxPages?: number;
  readonly log?: Pick<Log, "error">;
}

const LIMITS = { finishedJobs: 20_000, tags: 500_000, reprintBytes: 32 * 1024 * 1024 };
/** When there is too much data of ended jobs, so much of it stays: little goes at a time, since everybody waits meanwhile. */
const KEPT_PART = 0.95;
/** How many commits pass between two cleanings. */
const CLEAN_EVERY = 500;
/** Data of jobs that wait and are likely to leave soon: so much of it need not be read back. */
const AT_HAND_BYTES = 8 * 1024 * 1024;

interface Call {
  readonly entries: readonly Entry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY: the disk, and not what was to be written. */
const DISK_ERRORS = new Set([13, 10, 8]);
const isFull = (error: unknown) => DISK_ERRORS.has(((error as { errcode?: number }).errcode ?? 0) % 256);

export type SqliteJournal = Journal & { close(): Promise<void>; readonly commits: number };

/**
 * Jobs and events in one SQLite file. A call is answered when the disk has it: SQLite appends the
 * transaction to its log, and the log is synced on another thread, so that nobody waits who need not.
 * What arrives while the disk is busy shares the next transaction and the next sync.
 */
export function openJournal(path: string, clock: Clock, options: JournalOptions = {}): SqliteJournal {
  const { maxPages } = options;
  const limits = { ...LIMITS, ...options.limits };
  const database = openSqliteFile(path, { alone: true });
  applyVersions(database, path, JOURNAL_VERSIONS);
  if (maxPages) database.exec(`pragma max_page_count = ${maxPages}`);
  // From here on the log is synced by us, before anyone is answered; SQLite itself syncs it before a
  // checkpoint, which keeps the file whole. The log is not locked, so a second handle on it does no harm.
  database.exec("pragma synchronous = normal; pragma wal_autocheckpoint = 4000; begin immediate; commit");
  const log = openSync(`${path}-wal`, "r+");
  // A run that was killed may have written what it had not synced yet: from here on it is told to whoever asks.
  fdatasyncSync(log);
  const rows = journalRows(database);
  const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")];
  /** Jobs that have not ended, so that a change need not read them back. */
  const live = new Map<string, Kept>();
  /** Jobs as the disk has them, where what was written of them is still being synced; undefined where it has none. */
  const syncedUntilNow = new Map<string, Kept | undefined>();
  const atHand = new Map<number, Uint8Array>();
  let atHandBytes = 0;
  const listeners = new Set<(event: JournalEvent) => void>();
  let waiting: Call[] = [];
  let commits = 0;
  /** The newest numbers given out, whether or not they are on the disk yet. */
  let lastJob = rows.lastJob();
  /** `dropped` is the newest event that is no longer kept. */
  let { last: lastEvent, dropped } = rows.sequence();
  let endedBytes = rows.endedBytes();
  let lastSeq = lastEvent;
  let syncing = false;
  /** Batches of events that the listeners have not heard yet. */
  let telling = 0;
  let broken: Error | undefined;
  /** Why the last write could not be made, where the disk was at fault. */
  let failure: Error | undefined;

  const find = (id: string) => live.get(id) ?? rows.job(id);

  for (const kept of rows.unfinished()) live.set(kept.job.id, kept);

  function remember(entry: Entry, overlay: Map<string, Kept>): JournalEvent {
    const seq = ++lastEvent;
    if (entry.kind === "status") {
      const { status } = entry;
      rows.putStatus(status, seq);
      return statusEvent(seq, status);
    }
    let kept: Kept;
    if (entry.kind === "accepted") {
      const { job, key } = entry;
      kept = { n: ++lastJob, seq, job, bytes: entry.data.length };
      rows.addJob(kept, key, entry.data);
      if (!job.started) keepAtHand(kept.n, entry.data);
    } else {
      const before = overlay.get(entry.job) ?? find(entry.job);
      if (!before) throw new Error(`There is no job ${entry.job} to change.`);
      const job = { ...before.job, ...entry.change, updatedAt: clock.now() };
      kept = { ...before, seq, job };
      rows.changeJob(kept, before.job);
      if (isFinal(job.state)) keepForReprint(kept);
    }
    overlay.set(kept.job.id, kept);
    return jobEvent(kept);
  }

  function keepForReprint({ n, bytes = rows.dataBytes(n) ?? 0 }: Kept): void {
    if (bytes > limits.reprintBytes) return void rows.dropData(n);
    endedBytes += bytes;
    if (endedBytes <= limits.reprintBytes) return;
    endedBytes -= rows.dropEndedData(endedBytes - limits.reprintBytes * KEPT_PART);
  }

  function keepAtHand(n: number, data: Uint8Array): void {
    if (atHandBytes + data.length > AT_HAND_BYTES) return;
    // A copy: small buffers are slices of a larger one, which would stay with them.
    atHand.set(n, new Uint8Array(data));
    atHandBytes += data.length;
  }

  function takeFromHand(n: number): Uint8Array | undefined {
    const data = atHand.get(n);
    if (data && atHand.delete(n)) atHandBytes -= data.length;
    return data;
  }

  /** Writes calls in one transaction; when that fails, none of them happened. */
  function write(calls: readonly Call[]): JournalEvent[] {
    const overlay = new Map<string, Kept>();
    const before = { lastJob, lastEvent, dropped, endedBytes };
    begin.run();
    try {
      const events: JournalEvent[] = [];
      for (const { entries } of calls) for (const entry of entries) events.push(remember(entry, overlay));
      if (++commits % CLEAN_EVERY === 0) clean();
      commit.run();
      for (const [id, kept] of overlay) {
        if (!syncedUntilNow.has(id)) syncedUntilNow.set(id, live.get(id));
        if (!isFinal(kept.job.state)) {
          live.set(id, kept);
          continue;
        }
        live.delete(id);
        takeFromHand(kept.n);
      }
      return events;
    } catch (error) {
      if (database.isTransaction) database.exec("rollback");
      for (let n = before.lastJob + 1; n <= lastJob; n++) takeFromHand(n);
      ({ lastJob, lastEvent, dropped, endedBytes } = before);
      throw error;
    }
  }

  function clean(): void {
    const upTo = Math.max(rows.oldestTag(limits.tags), lastJob - limits.finishedJobs);
    const forgotten = rows.dropEndedJobs(upTo);
    dropped = Math.max(dropped, forgotten.lastSeq);
    endedBytes -= forgotten.bytes;
    rows.keepSequence(lastEvent, dropped);
  }

  /** Writes all that waits, and answers when it is on the disk. */
  function flush(): void {
    const calls = waiting;
    waiting = [];
    if (broken) {
      for (const { reject } of calls) reject(broken);
      return;
    }
    const written: Call[] = [];
    const events: JournalEvent[] = [];
    try {
      events.push(...write(calls));
      written.push(...calls);
    } catch {
      // One of them is at fault: each gets a transaction of its own, so that the others do not pay.
      for (const call of calls) {
        try {
          events.push(...write([call]));
          written.push(call);
        } catch (error) {
          if (isFull(error)) failure = error as Error;
          call.reject(error);
        }
      }
    }
    if (written.length > 0) failure = undefined;
    syncing = true;
    fdatasync(log, (error) => {
      // A disk that failed once may have lost what it said it had: nothing is promised any more.
      if (error) {
        broken = error;
        withdraw(written, error);
        return;
      }
      syncing = false;
      answer(written, events);
      // Those who were answered often have more to write at once: it goes with what came meanwhile.
      if (waiting.length > 0) setImmediate(flushUnlessSyncing);
    });
  }

  /**
   * Takes back the jobs of calls that the disk failed to sync: they are refused, and whoever asks for them anew gets others, so
   * the next start must not print them. SQLite reads its log up to the first damage: where it finds them, it finds this too.
   */
  function withdraw(calls: readonly Call[], error: Error): void {
    const refuse = (failure?: unknown) => {
      syncing = false;
      const reason = failure
        ? new Error(
            `${error.message}, and may print after a restart all the same: repeat it with its key alone`,
          )
        : error;
      for (const { reject } of calls) reject(reason);
      if (waiting.length > 0) setImmediate(flushUnlessSyncing);
    };
    try {
      begin.run();
      for (const entry of calls.flatMap(({ entries }) => entries)) {
        const kept = entry.kind === "accepted" && live.get(entry.job.id);
        if (!kept) continue;
        rows.dropJob(kept.n);
        live.delete(kept.job.id);
        takeFromHand(kept.n);
      }
      commit.run();
    } catch (failure) {
      if (database.isTransaction) database.exec("rollback");
      refuse(failure);
      return;
    }
    fdatasync(log, refuse);
  }

  const flushUnlessSyncing = () => {
    if (!syncing && waiting.length > 0) flush();
  };

  /** A listener that fails takes nothing from the others, nor from the bridge. */
  function safely(listener: (event: JournalEvent) => void, event: JournalEvent): void {
    try {
      listener(event);
    } catch (error) {
      options.log?.error({ err: error, seq: event.seq }, "event not delivered");
    }
  }

  function answer(calls: readonly Call[], events: readonly JournalEvent[]): void {
    lastSeq = events.at(-1)?.seq ?? lastSeq;
    syncedUntilNow.clear();
    for (const { resolve } of calls) resolve();
    // Those who wait come first: their bytes are on the way before the news of it is.
    telling++;
    setImmediate(() => {
      telling--;
      for (const event of events) for (const listener of listeners) safely(listener, event);
    });
  }

  return {
    commit: (entries) =>
      new Promise((resolve, reject) => {
        // What one caller asks for at once goes together; what comes while the disk is busy, after it.
        if (waiting.push({ entries, resolve, reject }) === 1 && !syncing) queueMicrotask(flushUnlessSyncing);
      }),
    job: (id) => (syncedUntilNow.has(id) ? syncedUntilNow.get(id) : find(id))?.job,
    jobByKey: (origin, key) => {
      // What was written when the disk failed may not be there: nobody is told that it was accepted.
      if (broken) throw broken;
      return rows.jobByKey(origin, key)?.job;
    },
    data: (id) => {
      const n = find(id)?.n ?? 0;
      const data = takeFromHand(n) ?? rows.data(n);
      if (!data) throw new Error(`The data of job ${id} is gone.`);
      return data;
    },
    hasData: (id) => rows.dataBytes(find(id)?.n ?? 0) !== undefined,
    bytes: (id) => {
      const kept = find(id);
      return kept?.bytes ?? rows.dataBytes(kept?.n ?? 0) ?? 0;
    },
    unfinished: () => [...live.values()].map(({ job }) => job),
    lastEnded: (printer) => rows.lastEnded(printer)?.job,
    recent: rows.recent,
    search: rows.search,
    get lastSeq() {
      return lastSeq;
    },
    get firstSeq() {
      return dropped + 1;
    },
    eventsSince: (from, limit, origin) =>
      rows.eventsSince({ from, upTo: lastSeq, limit, origin }, live.values()),
    assertWritable: async () => {
      if (broken) throw broken;
      if (!failure) return;
      rows.keepSequence(lastEvent, dropped);
      failure = undefined;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get commits() {
      return commits;
    },
    close: async () => {
      while (waiting.length > 0 || syncing || telling > 0)
        await new Promise((resolve) => setImmediate(resolve));
      listeners.clear();
      broken = new Error("The journal is closed.");
      closeSync(log);
      database.close();
    },
  };
}
