import type { DatabaseSync } from "node:sqlite";
import { isFinal, type Job, type ListedJob } from "../domain/job.ts";
import type { JobPage, JobSearch, JournalEvent } from "../domain/journal.ts";
import type { PrinterStatus } from "../domain/printer.ts";

/** What a job is read from. */
const JOB = "n, id, origin, seq, body, progress";
/** Whether a job is one of those looked for; what is not asked for fits. */
const FITS = `(:state is null or json_extract(progress, '$.state') = :state)
  and (:printer is null or json_extract(body, '$.printer') = :printer)
  and (:text is null or instr(lower(id || ' ' || origin || ' ' || json_extract(body, '$.printer') || ' '
    || json_extract(body, '$.alias')), lower(:text)) > 0)`;

/** Tags in one page of events: reading them holds up everybody, so a page ends where they are many. */
const MAX_TAGS_PER_PAGE = 1_000;

/** A job, the number it is kept under, and the number of its newest event. */
export interface Kept {
  readonly n: number;
  readonly seq: number;
  readonly job: Job;
  /** The size of its data, where that is known without reading the row. */
  readonly bytes?: number;
}

/** How a count stands in a job's row: its tags by their number alone. */
interface StoredCount {
  readonly asked: number;
  readonly printed: number;
  readonly tags?: number | null;
}

type Row = Record<string, unknown>;
const storedOf = ({ id, origin, body, progress }: Row) =>
  ({ id, origin, ...JSON.parse(String(body)), ...JSON.parse(String(progress)) }) as Omit<Job, "count"> & {
    readonly count: StoredCount;
  };

/** What of a job never changes, but for its id and origin, which have columns. */
const bodyOf = ({ printer, generation, alias, language, copies, rfid, createdAt }: Job): string =>
  JSON.stringify({ printer, generation, alias, language, copies, rfid, createdAt });

/** The number of the event with which a job ended; null of one that has not. */
const endOf = ({ job, seq }: Kept): number | null => (isFinal(job.state) ? seq : null);

export type JournalRows = ReturnType<typeof journalRows>;

/** The rows of the journal's file: jobs with their data and tags, and the newest status of each printer. */
export function journalRows(database: DatabaseSync) {
  const sql = {
    addJob: database.prepare(
      "insert into jobs (n, id, origin, key, seq, ended, body, progress) values (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    addData: database.prepare("insert into payloads (n, data) values (?, ?)"),
    changeJob: database.prepare("update jobs set seq = ?, ended = ?, progress = ? where n = ?"),
    dropData: database.prepare("delete from payloads where n = ?"),
    addTag: database.prepare("insert into job_tags (n, at, body) values (?, ?, ?)"),
    tags: database.prepare("select body from job_tags where n = ? order by at"),
    putStatus: database.prepare(
      "insert or replace into printer_statuses (printer, seq, body) values (?, ?, ?)",
    ),
    job: database.prepare(`select ${JOB} from jobs where id = ?`),
    jobByKey: database.prepare(`select ${JOB} from jobs where origin = ? and key = ?`),
    data: database.prepare("select data from payloads where n = ?"),
    dataBytes: database.prepare("select length(data) as bytes from payloads where n = ?"),
    endedBytes: database.prepare(
      "select coalesce(sum(length(data)), 0) as bytes from payloads join jobs using (n) where ended is not null",
    ),
    oldestEndedData: database.prepare(
      "select n, length(data) as bytes from payloads join jobs using (n) where ended is not null order by n",
    ),
    dropEndedData: database.prepare(
      `delete from payloads
         where n <= ? and exists (select 1 from jobs where jobs.n = payloads.n and ended is not null)`,
    ),
    dropForgottenData: database.prepare(
      "delete from payloads where n <= ? and n not in (select n from jobs) returning length(data) as bytes",
    ),
    unfinished: database.prepare(`select ${JOB} from jobs where ended is null order by n`),
    lastEnded: database.prepare(
      `select ${JOB} from jobs
         where ended is not null and json_extract(body, '$.printer') = ? order by n desc limit 1`,
    ),
    recent: database.prepare(`select ${JOB} from jobs order by n desc limit ?`),
    found: database.prepare(
      `select ${JOB} from jobs where n < :before and ${FITS} order by n desc limit :limit`,
    ),
    countFound: database.prepare(`select count(*) as total from jobs where ${FITS}`),
    newestJob: database.prepare("select max(n) as n from jobs"),
    endedSince: database.prepare(
      `select ${JOB} from jobs where ended > ? and ended <= ? and origin = ? order by ended limit ?`,
    ),
    statusesSince: database.prepare(
      "select seq, body from printer_statuses where seq > ? and seq <= ? order by seq limit ?",
    ),
    sequence: database.prepare(
      `select max(last, coalesce((select max(seq) from jobs), 0),
         coalesce((select max(seq) from printer_statuses), 0)) as last, dropped from sequence`,
    ),
    dropped: database.prepare("select max(ended) as seq from jobs where n <= ?"),
    keepSequence: database.prepare("update sequence set last = ?, dropped = ?"),
    dropJob: database.prepare("delete from jobs where n = ?"),
    dropJobs: database.prepare("delete from jobs where n <= ? and ended is not null"),
    dropTags: database.prepare("delete from job_tags where n <= ? and n not in (select n from jobs)"),
    oldestTag: database.prepare("select n from job_tags order by n desc limit 1 offset ?"),
  };
  /** A job as it stands in its row: its tags stand beside it. */
  function keptOf(row: Row | undefined): Kept | undefined {
    if (!row) return undefined;
    const n = Number(row.n);
    const { count, ...job } = storedOf(row);
    const { tags: tagged, ...rest } = count;
    const tags = tagged ? { tags: sql.tags.all(n).map(({ body }) => JSON.parse(String(body))) } : {};
    return { n, seq: Number(row.seq), job: { ...job, count: { ...rest, ...tags } } };
  }

  /** A job for a list: each of its tags was printed or voided, so their number says how many were voided. */
  function listedOf(row: Row): ListedJob {
    const { count, ...job } = storedOf(row);
    const { asked, printed, tags } = count;
    return { ...job, count: { asked, printed, voided: tags ? tags - printed : 0 } };
  }

  /** What of a job changes. Its tags stand beside it, and are only ever added. */
  function progressOf({ n, job }: Kept, before: Job | undefined): string {
    const { state, started, verification, count, reasons, error, odometer, device, spoolerJob, updatedAt } =
      job;
    const changing = {
      state,
      started,
      verification,
      reasons,
      error,
      odometer,
      device,
      spoolerJob,
      updatedAt,
    };
    const { tags } = count;
    if (!tags) return JSON.stringify({ ...changing, count });
    const known = before?.count.tags?.length ?? 0;
    for (const [at, tag] of tags.entries()) {
      if (at >= known) sql.addTag.run(n, at, JSON.stringify(tag));
    }
    return JSON.stringify({ ...changing, count: { ...count, tags: tags.length } });
  }

  return {
    lastJob: () => Number(sql.newestJob.get()?.n ?? 0),
    sequence: () => {
      const { last = 0, dropped = 0 } = sql.sequence.get() ?? {};
      return { last: Number(last), dropped: Number(dropped) };
    },
    keepSequence: (last: number, dropped: number) => void sql.keepSequence.run(last, dropped),

    job: (id: string) => keptOf(sql.job.get(id)),
    jobByKey: (origin: string, key: string) => keptOf(sql.jobByKey.get(origin, key)),
    unfinished: () => sql.unfinished.all().map((row) => keptOf(row) as Kept),
    lastEnded: (printer: string) => keptOf(sql.lastEnded.get(printer)),
    recent: (limit: number) => sql.recent.all(limit).map(listedOf),
    search({ state, printer, text, before = Number.MAX_SAFE_INTEGER, limit }: JobSearch): JobPage {
      const query = { state: state ?? null, printer: printer ?? null, text: text ?? null };
      const found = sql.found.all({ ...query, before, limit });
      const next = found.length === limit ? Number(found.at(-1)?.n) : undefined;
      return { jobs: found.map(listedOf), next, total: Number(sql.countFound.get(query)?.total) };
    },
    addJob(kept: Kept, key: string | undefined, data: Uint8Array): void {
      const { n, seq, job } = kept;
      const progress = progressOf(kept, undefined);
      sql.addJob.run(n, job.id, job.origin, key ?? null, seq, endOf(kept), bodyOf(job), progress);
      sql.addData.run(n, data);
    },
    changeJob: (kept: Kept, before: Job) =>
      void sql.changeJob.run(kept.seq, endOf(kept), progressOf(kept, before), kept.n),
    putStatus: (status: PrinterStatus, seq: number) =>
      void sql.putStatus.run(status.printer, seq, JSON.stringify(status)),

    data: (n: number) => sql.data.get(n)?.data as Uint8Array | undefined,
    dataBytes: (n: number) => sql.dataBytes.get(n)?.bytes as number | undefined,
    dropData: (n: number) => void sql.dropData.run(n),
    /** The bytes of data that are kept of jobs that have ended. */
    endedBytes: () => Number(sql.endedBytes.get()?.bytes),
    /** Drops the oldest of them until so much is gone; answers how much is. No other row is looked at. */
    dropEndedData(wanted: number): number {
      let bytes = 0;
      let upTo = 0;
      for (const oldest of sql.oldestEndedData.iterate()) {
        if (bytes >= wanted) break;
        bytes += Number(oldest.bytes);
        upTo = Number(oldest.n);
      }
      sql.dropEndedData.run(upTo);
      return bytes;
    },

    dropJob(n: number): void {
      sql.dropJob.run(n);
      sql.dropData.run(n);
    },
    /** The job whose tags are the oldest that may be kept; 0 where all may. */
    oldestTag: (tags: number) => Number(sql.oldestTag.get(tags)?.n ?? 0),
    /** Forgets the jobs up to a number that have ended; answers how much data went with them, and the newest event. */
    dropEndedJobs(upTo: number): { readonly bytes: number; readonly lastSeq: number } {
      const lastSeq = Number(sql.dropped.get(upTo)?.seq ?? 0);
      if (sql.dropJobs.run(upTo).changes === 0) return { bytes: 0, lastSeq };
      sql.dropTags.run(upTo);
      const dropped = sql.dropForgottenData.all(upTo);
      return { bytes: dropped.reduce((sum, { bytes }) => sum + Number(bytes), 0), lastSeq };
    },

    /** `unfinished`: the jobs that have not ended, which no index finds by their events: each change would pay for it. */
    eventsSince(
      { from, upTo, limit, origin }: { from: number; upTo: number; limit: number; origin: string },
      unfinished: Iterable<Kept>,
    ): JournalEvent[] {
      const found: Array<{ readonly seq: number; readonly read: () => JournalEvent }> = [];
      for (const kept of unfinished) {
        const isOfThese = kept.seq > from && kept.seq <= upTo && kept.job.origin === origin;
        if (isOfThese) found.push({ seq: kept.seq, read: () => jobEvent(kept) });
      }
      for (const row of sql.endedSince.all(from, upTo, origin, limit))
        found.push({ seq: Number(row.seq), read: () => jobEvent(keptOf(row) as Kept) });
      for (const { seq, body } of sql.statusesSince.all(from, upTo, limit))
        found.push({ seq: Number(seq), read: () => statusEvent(Number(seq), JSON.parse(String(body))) });
      const events: JournalEvent[] = [];
      let tags = 0;
      for (const { read } of found.sort((a, b) => a.seq - b.seq).slice(0, limit)) {
        if (tags > MAX_TAGS_PER_PAGE) break;
        const event = read();
        events.push(event);
        tags += event.job?.count.tags?.length ?? 0;
      }
      return events;
    },
  };
}

export function jobEvent({ seq, job }: Kept): JournalEvent {
  const { origin, printer } = job;
  return { seq, event: "job.update", origin, printer, job, status: undefined };
}

export function statusEvent(seq: number, status: PrinterStatus): JournalEvent {
  const { printer } = status;
  return { seq, event: "printer.status", origin: undefined, printer, job: undefined, status };
}
