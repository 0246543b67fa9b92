import { closeSync, fdatasync, openSync } from "node:fs";
import type { Clock } from "@frontdesk/kit/clock";
import { isFinal, type Job } from "../domain/job.ts";
import type { Entry, Journal, JournalEvent } from "../domain/journal.ts";
import { openDatabase } from "./migrate.ts";

const VERSIONS = [
  `create table jobs (
     n integer primary key autoincrement,
     id text not null unique,
     origin text not null,
     key text,
     final integer not null,
     body text not null
   );
   create unique index jobs_key on jobs (origin, key) where key is not null;
   create index jobs_unfinished on jobs (n) where final = 0;
   create table payloads (job text primary key, data blob not null) without rowid;
   create table events (
     seq integer primary key autoincrement,
     event text not null,
     origin text,
     printer text not null,
     body text not null
   );`,
];

export interface JournalLimits {
  readonly events: number;
  readonly finishedJobs: number;
}

const LIMITS: JournalLimits = { events: 50_000, finishedJobs: 20_000 };
/** How many commits pass between two cleanings. */
const CLEAN_EVERY = 500;

interface Call {
  readonly entries: readonly Entry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type SqliteJournal = Journal & { close(): Promise<void>; readonly commits: number };

/**
 * Jobs and events in one SQLite file. A call is answered when the disk has it: SQLite appends the
 * transaction to its log, and the log is synced on another thread, so that nobody waits who need not.
 * What arrives while the disk is busy shares the next transaction and the next sync.
 */
export function openJournal(path: string, clock: Clock, limits: JournalLimits = LIMITS): SqliteJournal {
  const database = openDatabase(path, VERSIONS);
  // From here on the log is synced by us, before anyone is answered; SQLite itself syncs it before a
  // checkpoint, which keeps the file whole. The log is not locked, so a second handle on it does no harm.
  database.exec("pragma synchronous = normal; pragma wal_autocheckpoint = 4000; begin immediate; commit");
  const log = openSync(`${path}-wal`, "r+");
  const sql = {
    addJob: database.prepare("insert into jobs (id, origin, key, final, body) values (?, ?, ?, 0, ?)"),
    addData: database.prepare("insert into payloads (job, data) values (?, ?)"),
    changeJob: database.prepare("update jobs set final = ?, body = ? where id = ?"),
    dropData: database.prepare("delete from payloads where job = ?"),
    addEvent: database.prepare("insert into events (event, origin, printer, body) values (?, ?, ?, ?)"),
    job: database.prepare("select body from jobs where id = ?"),
    jobByKey: database.prepare("select body from jobs where origin = ? and key = ?"),
    data: database.prepare("select data from payloads where job = ?"),
    unfinished: database.prepare("select body from jobs where final = 0 order by n"),
    recent: database.prepare("select body from jobs order by n desc limit ?"),
    events: database.prepare("select * from events where seq > ? and seq <= ? order by seq limit ?"),
    bounds: database.prepare("select min(seq) as first, max(seq) as last from events"),
    newest: database.prepare("select seq from sqlite_sequence where name = 'events'"),
    dropEvents: database.prepare("delete from events where seq <= ?"),
    dropJobs: database.prepare("delete from jobs where final = 1 and n <= (select max(n) from jobs) - ?"),
  };
  const parse = (row: unknown) => (row ? (JSON.parse((row as { body: string }).body) as Job) : undefined);
  /** Jobs that have not ended, so that a change need not read them back. */
  const live = new Map<string, Job>();
  for (const row of sql.unfinished.all()) {
    const job = parse(row) as Job;
    live.set(job.id, job);
  }
  const listeners = new Set<(event: JournalEvent) => void>();
  let waiting: Call[] = [];
  let commits = 0;
  let lastSeq = Number(sql.newest.get()?.seq ?? 0);
  let syncing = false;
  let broken: Error | undefined;

  function remember(entry: Entry, overlay: Map<string, Job>): JournalEvent {
    if (entry.kind === "status") {
      const { status } = entry;
      const { lastInsertRowid } = sql.addEvent.run(
        "printer.status",
        null,
        status.printer,
        JSON.stringify(status),
      );
      return {
        seq: Number(lastInsertRowid),
        event: "printer.status",
        origin: undefined,
        printer: status.printer,
        job: undefined,
        status,
      };
    }
    let job: Job;
    let body: string;
    if (entry.kind === "accepted") {
      const { key, ...rest } = entry.job;
      job = rest;
      body = JSON.stringify(job);
      sql.addJob.run(job.id, job.origin, key ?? null, body);
      sql.addData.run(job.id, entry.data);
    } else {
      const before = overlay.get(entry.job) ?? live.get(entry.job) ?? parse(sql.job.get(entry.job));
      if (!before) throw new Error(`There is no job ${entry.job} to change.`);
      job = { ...before, ...entry.change, updatedAt: clock.now() };
      body = JSON.stringify(job);
      sql.changeJob.run(isFinal(job.state) ? 1 : 0, body, job.id);
      if (isFinal(job.state)) sql.dropData.run(job.id);
    }
    overlay.set(job.id, job);
    const { lastInsertRowid } = sql.addEvent.run("job.update", job.origin, job.printer, body);
    return {
      seq: Number(lastInsertRowid),
      event: "job.update",
      origin: job.origin,
      printer: job.printer,
      job,
      status: undefined,
    };
  }

  /** Writes calls in one transaction; when that fails, none of them happened. */
  function write(calls: readonly Call[]): JournalEvent[] {
    const overlay = new Map<string, Job>();
    database.exec("begin immediate");
    try {
      const events = calls.flatMap(({ entries }) => entries.map((entry) => remember(entry, overlay)));
      if (++commits % CLEAN_EVERY === 0) clean();
      database.exec("commit");
      for (const [id, job] of overlay) {
        if (isFinal(job.state)) live.delete(id);
        else live.set(id, job);
      }
      return events;
    } catch (error) {
      if (database.isTransaction) database.exec("rollback");
      throw error;
    }
  }

  function clean(): void {
    sql.dropEvents.run(lastSeq - limits.events);
    sql.dropJobs.run(limits.finishedJobs);
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
          call.reject(error);
        }
      }
    }
    syncing = true;
    fdatasync(log, (error) => {
      syncing = false;
      // A disk that failed once may have lost what it said it had: nothing is promised any more.
      if (error) broken = error;
      answer(written, events);
      if (waiting.length > 0) flush();
    });
  }

  const flushUnlessSyncing = () => {
    if (!syncing && waiting.length > 0) flush();
  };

  function answer(calls: readonly Call[], events: readonly JournalEvent[]): void {
    if (broken) {
      for (const { reject } of calls) reject(broken);
      return;
    }
    lastSeq = events.at(-1)?.seq ?? lastSeq;
    for (const { resolve } of calls) resolve();
    // Those who wait come first: their bytes are on the way before the news of it is.
    setImmediate(() => {
      for (const event of events) for (const hear of listeners) hear(event);
    });
  }

  return {
    commit: (entries) =>
      new Promise((resolve, reject) => {
        // What is asked for in the same turn goes together; what comes while the disk is busy, after it.
        if (waiting.push({ entries, resolve, reject }) === 1 && !syncing) queueMicrotask(flushUnlessSyncing);
      }),
    job: (id) => live.get(id) ?? parse(sql.job.get(id)),
    jobByKey: (origin, key) => parse(sql.jobByKey.get(origin, key)),
    data: (id) => {
      const row = sql.data.get(id) as { data: Uint8Array } | undefined;
      if (!row) throw new Error(`The data of job ${id} is gone.`);
      return row.data;
    },
    unfinished: () => [...live.values()],
    recent: (limit) => sql.recent.all(limit).map((row) => parse(row) as Job),
    get lastSeq() {
      return lastSeq;
    },
    get firstSeq() {
      return Number(sql.bounds.get()?.first ?? lastSeq + 1);
    },
    eventsSince: (seq, limit) => sql.events.all(seq, lastSeq, limit).map(eventOf),
    listen: (hear) => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
    get commits() {
      return commits;
    },
    close: async () => {
      while (waiting.length > 0 || syncing) await new Promise((resolve) => setImmediate(resolve));
      broken = new Error("The journal is closed.");
      closeSync(log);
      database.close();
    },
  };
}

function eventOf(row: Record<string, unknown>): JournalEvent {
  const { seq, event, origin, printer, body } = row as {
    seq: number;
    event: JournalEvent["event"];
    origin: string | null;
    printer: string;
    body: string;
  };
  const value = JSON.parse(body);
  const isJob = event === "job.update";
  return {
    seq,
    event,
    origin: origin ?? undefined,
    printer,
    job: isJob ? value : undefined,
    status: isJob ? undefined : value,
  };
}
