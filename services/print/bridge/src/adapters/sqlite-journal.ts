import { closeSync, fdatasync, openSync } from "node:fs";
import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import { applyVersions, openSqliteFile } from "@frontdesk/store/sqlite-file";
import { isFinal, type Job } from "../domain/job.ts";
import type { Entry, Journal, JournalEvent } from "../domain/journal.ts";
import type { PrinterStatus } from "../domain/printer.ts";
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
/** When there is too much data of ended jobs, so much of it stays: then it is a while until the next time. */
const KEPT_PART = 0.75;
const ENDED = "json_extract(body, '$.state') in ('Done', 'Failed', 'Unknown')";
/** How many commits pass between two cleanings. */
const CLEAN_EVERY = 500;
/** Data of jobs that wait and are likely to leave soon: so much of it need not be read back. */
const AT_HAND_BYTES = 8 * 1024 * 1024;

/** A job and the number it is kept under. */
interface Kept {
  readonly n: number;
  readonly job: Job;
}

/** How a count stands in a job's row: its tags by their number alone. */
interface StoredCount {
  readonly asked: number;
  readonly printed: number;
  readonly tags?: number | null;
}

interface Call {
  readonly entries: readonly Entry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Whether a job is one of those looked for; what is not asked for fits. */
const FITS = `(:state is null or json_extract(body, '$.state') = :state)
  and (:printer is null or json_extract(body, '$.printer') = :printer)
  and (:text is null or instr(lower(id || ' ' || origin || ' ' || json_extract(body, '$.printer') || ' '
    || json_extract(body, '$.alias')), lower(:text)) > 0)`;

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
  const sql = {
    begin: database.prepare("begin immediate"),
    commit: database.prepare("commit"),
    addJob: database.prepare("insert into jobs (n, id, origin, key, seq, body) values (?, ?, ?, ?, ?, ?)"),
    addData: database.prepare("insert into payloads (n, data) values (?, ?)"),
    changeJob: database.prepare("update jobs set seq = ?, body = ? where n = ?"),
    dropData: database.prepare("delete from payloads where n = ?"),
    addTag: database.prepare("insert into job_tags (n, at, body) values (?, ?, ?)"),
    tags: database.prepare("select body from job_tags where n = ? order by at"),
    putStatus: database.prepare(
      "insert or replace into printer_statuses (printer, seq, body) values (?, ?, ?)",
    ),
    job: database.prepare("select n, body from jobs where id = ?"),
    jobByKey: database.prepare("select n, body from jobs where origin = ? and key = ?"),
    data: database.prepare("select data from payloads where n = ?"),
    dataBytes: database.prepare("select length(data) as bytes from payloads where n = ?"),
    endedBytes: database.prepare(
      `select coalesce(sum(length(data)), 0) as bytes from payloads join jobs using (n) where ${ENDED}`,
    ),
    dropEndedData: database.prepare(
      `delete from payloads where n in (select n from (
         select n, sum(length(data)) over (order by n desc) as bytes from payloads join jobs using (n) where ${ENDED})
       where bytes > ?)`,
    ),
    dropForgottenData: database.prepare(
      "delete from payloads where n <= ? and n not in (select n from jobs)",
    ),
    unfinished: database.prepare(`select n, body from jobs where not ${ENDED} order by n`),
    recent: database.prepare("select n, body from jobs order by n desc limit ?"),
    found: database.prepare(
      `select n, body from jobs where n < :before and ${FITS} order by n desc limit :limit`,
    ),
    countFound: database.prepare(`select count(*) as total from jobs where ${FITS}`),
    newestJob: database.prepare("select max(n) as n from jobs"),
    jobsSince: database.prepare(
      "select seq, n, body from jobs where seq > ? and seq <= ? and origin = ? order by seq limit ?",
    ),
    statusesSince: database.prepare(
      "select seq, body from printer_statuses where seq > ? and seq <= ? order by seq limit ?",
    ),
    sequence: database.prepare(
      `select max(last, coalesce((select max(seq) from jobs), 0),
         coalesce((select max(seq) from printer_statuses), 0)) as last, dropped from sequence`,
    ),
    dropped: database.prepare(`select max(seq) as seq from jobs where n <= ? and ${ENDED}`),
    keepSequence: database.prepare("update sequence set last = ?, dropped = ?"),
    dropJobs: database.prepare(`delete from jobs where n <= ? and ${ENDED}`),
    dropTags: database.prepare("delete from job_tags where n <= ? and n not in (select n from jobs)"),
    oldestTag: database.prepare("select n from job_tags order by n desc limit 1 offset ?"),
  };
  /** Jobs that have not ended, so that a change need not read them back. */
  const live = new Map<string, Kept>();
  const atHand = new Map<number, Uint8Array>();
  let atHandBytes = 0;
  const listeners = new Set<(event: JournalEvent) => void>();
  let waiting: Call[] = [];
  let commits = 0;
  /** The newest numbers given out, whether or not they are on the disk yet. */
  let lastJob = Number(sql.newestJob.get()?.n ?? 0);
  let lastEvent = Number(sql.sequence.get()?.last ?? 0);
  /** The newest event that is no longer kept. */
  let dropped = Number(sql.sequence.get()?.dropped ?? 0);
  let endedBytes = Number(sql.endedBytes.get()?.bytes);
  let lastSeq = lastEvent;
  let syncing = false;
  /** Batches of events that the listeners have not heard yet. */
  let telling = 0;
  let broken: Error | undefined;
  /** Why the last write could not be made, where the disk was at fault. */
  let failure: Error | undefined;

  const find = (id: string) => live.get(id) ?? keptOf(sql.job.get(id));

  /** A job as it stands in its row: its tags stand beside it. */
  function keptOf(row: Record<string, unknown> | undefined): Kept | undefined {
    if (!row) return undefined;
    const n = Number(row.n);
    const { count, ...job } = JSON.parse(String(row.body)) as Omit<Job, "count"> & { count: StoredCount };
    const { tags: tagged, ...rest } = count;
    const tags = tagged ? { tags: sql.tags.all(n).map(({ body }) => JSON.parse(String(body))) } : {};
    return { n, job: { ...job, count: { ...rest, ...tags } } };
  }

  function eventsSince(from: number, limit: number, origin: string): JournalEvent[] {
    const jobs = sql.jobsSince
      .all(from, lastSeq, origin, limit)
      .map((row) => jobEvent(Number(row.seq), (keptOf(row) as Kept).job));
    const statuses = sql.statusesSince
      .all(from, lastSeq, limit)
      .map(({ seq, body }) => statusEvent(Number(seq), JSON.parse(String(body))));
    return [...jobs, ...statuses].sort((a, b) => a.seq - b.seq).slice(0, limit);
  }

  for (const row of sql.unfinished.all()) {
    const kept = keptOf(row) as Kept;
    live.set(kept.job.id, kept);
  }

  function store(kept: Kept, before: Job | undefined): string {
    const { tags, ...count } = kept.job.count;
    const known = before?.count.tags?.length ?? 0;
    for (const [at, tag] of (tags ?? []).entries()) {
      if (at >= known) sql.addTag.run(kept.n, at, JSON.stringify(tag));
    }
    return JSON.stringify({ ...kept.job, count: tags ? { ...count, tags: tags.length } : count });
  }

  function remember(entry: Entry, overlay: Map<string, Kept>): JournalEvent {
    const seq = ++lastEvent;
    if (entry.kind === "status") {
      const { status } = entry;
      sql.putStatus.run(status.printer, seq, JSON.stringify(status));
      return statusEvent(seq, status);
    }
    let kept: Kept;
    if (entry.kind === "accepted") {
      const { key, ...job } = entry.job;
      kept = { n: ++lastJob, job };
      sql.addJob.run(kept.n, job.id, job.origin, key ?? null, seq, store(kept, undefined));
      sql.addData.run(kept.n, entry.data);
      if (!job.started) keepAtHand(kept.n, entry.data);
    } else {
      const before = overlay.get(entry.job) ?? find(entry.job);
      if (!before) throw new Error(`There is no job ${entry.job} to change.`);
      const job = { ...before.job, ...entry.change, updatedAt: clock.now() };
      kept = { n: before.n, job };
      sql.changeJob.run(seq, store(kept, before.job), kept.n);
      if (isFinal(job.state)) keepForReprint(kept.n);
    }
    overlay.set(kept.job.id, kept);
    return jobEvent(seq, kept.job);
  }

  function keepForReprint(n: number): void {
    const bytes = Number(sql.dataBytes.get(n)?.bytes ?? 0);
    if (bytes > limits.reprintBytes) return void sql.dropData.run(n);
    endedBytes += bytes;
    if (endedBytes <= limits.reprintBytes) return;
    sql.dropEndedData.run(limits.reprintBytes * KEPT_PART);
    endedBytes = Number(sql.endedBytes.get()?.bytes);
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
    sql.begin.run();
    try {
      const events = calls.flatMap(({ entries }) => entries.map((entry) => remember(entry, overlay)));
      if (++commits % CLEAN_EVERY === 0) clean();
      sql.commit.run();
      for (const [id, kept] of overlay) {
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
    const oldestTag = Number(sql.oldestTag.get(limits.tags)?.n ?? 0);
    const upTo = Math.max(oldestTag, lastJob - limits.finishedJobs);
    dropped = Math.max(dropped, Number(sql.dropped.get(upTo)?.seq ?? 0));
    sql.keepSequence.run(lastEvent, dropped);
    sql.dropJobs.run(upTo);
    sql.dropForgottenData.run(upTo);
    endedBytes = Number(sql.endedBytes.get()?.bytes);
    sql.dropTags.run(upTo);
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
      syncing = false;
      // A disk that failed once may have lost what it said it had: nothing is promised any more.
      if (error) broken = error;
      answer(written, events);
      // Those who were answered often have more to write at once: it goes with what came meanwhile.
      if (waiting.length > 0) setImmediate(flushUnlessSyncing);
    });
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
    if (broken) {
      for (const { reject } of calls) reject(broken);
      return;
    }
    lastSeq = events.at(-1)?.seq ?? lastSeq;
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
        // What is asked for in the same turn goes together; what comes while the disk is busy, after it.
        if (waiting.push({ entries, resolve, reject }) === 1 && !syncing) setImmediate(flushUnlessSyncing);
      }),
    job: (id) => find(id)?.job,
    jobByKey: (origin, key) => keptOf(sql.jobByKey.get(origin, key))?.job,
    data: (id) => {
      const n = find(id)?.n ?? 0;
      const data = takeFromHand(n) ?? (sql.data.get(n)?.data as Uint8Array | undefined);
      if (!data) throw new Error(`The data of job ${id} is gone.`);
      return data;
    },
    hasData: (id) => sql.dataBytes.get(find(id)?.n ?? 0) !== undefined,
    unfinished: () => [...live.values()].map(({ job }) => job),
    recent: (limit) => sql.recent.all(limit).map((row) => (keptOf(row) as Kept).job),
    search: ({ state = null, printer = null, text = null, before = Number.MAX_SAFE_INTEGER, limit }) => {
      const query = { state, printer, text };
      const found = sql.found.all({ ...query, before, limit }).map((row) => keptOf(row) as Kept);
      const next = found.length === limit ? found.at(-1)?.n : undefined;
      return { jobs: found.map(({ job }) => job), next, total: Number(sql.countFound.get(query)?.total) };
    },
    get lastSeq() {
      return lastSeq;
    },
    get firstSeq() {
      return dropped + 1;
    },
    eventsSince,
    assertWritable: async () => {
      if (broken) throw broken;
      if (!failure) return;
      sql.keepSequence.run(lastEvent, dropped);
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

function jobEvent(seq: number, job: Job): JournalEvent {
  const { origin, printer } = job;
  return { seq, event: "job.update", origin, printer, job, status: undefined };
}

function statusEvent(seq: number, status: PrinterStatus): JournalEvent {
  const { printer } = status;
  return { seq, event: "printer.status", origin: undefined, printer, job: undefined, status };
}
