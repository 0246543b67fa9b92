import type { JobDocument, Report } from "../domain/backend.ts";
import type { JobFailure, LabelResult } from "../domain/job.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import { SILENT } from "../domain/printer.ts";
import { readZpl, type ZplFormat } from "../zpl/formats.ts";
import {
  ConnectionBroken,
  instrumentedFormat,
  isIdle,
  type Snapshot,
  type StatusDialogue,
} from "../zpl/status-dialogue.ts";

export interface TagTransmission {
  readonly printer: StatusDialogue | undefined;
  readonly job: JobDocument;
  readonly report: Report;
  readonly ask: (printer: StatusDialogue) => Promise<Snapshot>;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Writes, and holds the job while the printer takes nothing. */
  readonly write: (
    printer: StatusDialogue,
    job: JobDocument,
    report: Report,
    pieces: Iterable<Uint8Array>,
  ) => Promise<void>;
  /** Labels of one job that may be voided. */
  readonly maxVoids: number;
  readonly pollMs: number;
}

const FIRST_POLL_MS = 5;
const SETTLED = 4;

/** What has become of the tags so far. */
interface Tags {
  readonly results: LabelResult[];
  /** Of those that were read back as something else than what was asked, the first. */
  mismatch: LabelResult | undefined;
  /** Whether a byte of the job may have left. */
  sent: boolean;
  /** The printer's counters as they were last told: they count its whole life, so only differences mean anything. */
  counters: Counters;
}

type Counters = Pick<Snapshot, "odometer" | "voids">;

/** The printer answers nothing, and no byte of the job has left. */
class Silent extends Error {
  override name = "Silent";
}

/**
 * Labels with tags go one format at a time: each is read back before the next leaves, so that a bad
 * roll costs no more labels than the void limit.
 */
export async function sendTags(work: TagTransmission): Promise<JobOutcome> {
  const { job, printer } = work;
  if (!printer || printer.broken) return { type: "not-sent" };
  const text = Buffer.from(job.data).toString("latin1");
  const { formats } = readZpl(text);
  const counters = { odometer: undefined, voids: undefined };
  const tags: Tags = { results: [], mismatch: undefined, sent: false, counters };
  const count = () => countOf(job, tags);
  const failed = (error: JobFailure): JobOutcome => ({
    type: "failed",
    verification: "rfid",
    count: count(),
    error,
  });
  let index = 0;
  try {
    for (let copy = 0; copy < job.copies; copy++) {
      let at = 0;
      for (const [n, format] of formats.entries()) {
        const end = n === formats.length - 1 ? text.length : format.end;
        const pieces = {
          before: text.slice(at, format.start),
          format: text.slice(format.start, format.end),
          after: text.slice(format.end, end),
        };
        at = end;
        const problem = await sendFormat(work, printer, format, pieces, tags, index);
        if (problem) return failed(problem);
        index += format.labels;
      }
    }
  } catch (error) {
    if (error instanceof Silent) return { type: "not-sent", reason: SILENT.reasons[0] as string };
    if (!(error instanceof ConnectionBroken)) throw error;
    if (!tags.sent) return { type: "not-sent" };
    return { type: "lost", verification: tags.results.length > 0 ? "rfid" : "none", count: count() };
  }
  const wrong = tags.mismatch;
  if (!wrong) return { type: "done", verification: "rfid", count: count() };
  return failed({ code: "RFID_MISMATCH", message: `Label ${wrong.index} reads back as ${wrong.epc}.` });
}

function countOf(job: JobDocument, { results }: Tags) {
  const printed = results.filter((tag) => tag.printed).length;
  return { asked: job.labels, printed, tags: [...results] };
}

/** Asks, and keeps what the printer tells of its counters. */
async function ask(work: TagTransmission, printer: StatusDialogue, tags: Tags): Promise<Snapshot> {
  const snapshot = await work.ask(printer);
  const { odometer = tags.counters.odometer, voids = tags.counters.voids } = snapshot;
  tags.counters = { odometer, voids };
  return snapshot;
}

/** The counters before a format leaves. A printer that is silent is stopped: the format waits until it answers. */
async function countersBefore(work: TagTransmission, printer: StatusDialogue, tags: Tags): Promise<Counters> {
  while (!(await ask(work, printer, tags)).answered) {
    if (!tags.sent) throw new Silent();
    work.report({ type: "stopped", reasons: SILENT.reasons, count: countOf(work.job, tags) });
    await work.pause(work.pollMs);
  }
  return tags.counters;
}

/** How far a counter has moved. One that the printer does not tell has not. */
function moved(from: number | undefined, to: number | undefined): number {
  return from === undefined || to === undefined ? 0 : to - from;
}

async function sendFormat(
  work: TagTransmission,
  printer: StatusDialogue,
  format: ZplFormat,
  pieces: { readonly before: string; readonly format: string; readonly after: string },
  tags: Tags,
  index: number,
): Promise<JobFailure | undefined> {
  const { maxVoids } = work;
  const voidsBefore = tags.results.filter(({ voided }) => voided).length;
  const tries = format.setsTries ? undefined : maxVoids - voidsBefore + 1;
  const zpl = format.encodesTag ? instrumentedFormat(pieces.format, { tries }) : pieces.format;
  const start = await countersBefore(work, printer, tags);
  printer.takeTags();
  tags.sent = true;
  const bytes = Buffer.from(pieces.before + zpl + pieces.after, "latin1");
  const report: Report = (progress) => work.report({ ...progress, count: countOf(work.job, tags) });
  await work.write(printer, work.job, report, [bytes]);
  if (format.labels === 0) return undefined;

  let interval = FIRST_POLL_MS;
  let good = 0;
  let voided = 0;
  let settled = 0;
  let silent = 0;
  const add = (result: Omit<LabelResult, "index">) => {
    const tag = { index: index + good, ...result };
    tags.results.push(tag);
    return tag;
  };
  for (;;) {
    // The answer counts every void that came before what had been read back when it was asked.
    const readBack = printer.takeTags();
    const snapshot = await ask(work, printer, tags);
    // The counter is the printer's word: one void over the limit ends the job, however far it jumps.
    const counted = moved(start.voids, snapshot.voids);
    const voidsNow = Math.max(voided, Math.min(counted, maxVoids + 1 - voidsBefore));
    for (; voided < voidsNow; voided++) add({ printed: false, encoded: false, voided: true, epc: "" });
    for (const epc of readBack.slice(0, format.labels - good)) {
      const encoded = format.epc !== undefined && matches(epc, format.epc);
      const tag = add({ printed: true, encoded, voided: false, epc });
      // Where nobody can tell what the tag should hold, it is not called encoded, and not called wrong.
      if (!encoded && format.epc !== undefined) tags.mismatch ??= tag;
      good++;
    }
    settled = isIdle(snapshot) ? settled + 1 : 0;
    const movedEnough = moved(start.odometer, snapshot.odometer) >= format.labels;
    if (!format.encodesTag && settled > 0 && movedEnough) {
      for (; good < format.labels; good++) add({ printed: true, encoded: false, voided: false, epc: "" });
    }
    if (voidsBefore + voided > maxVoids) {
      const message = `More than ${maxVoids} labels were voided; the rest was not sent.`;
      return { code: "RFID_VOID_LIMIT", message };
    }
    if (good >= format.labels) return undefined;
    if (settled >= SETTLED)
      return { code: "LABELS_MISSING", message: "The printer is idle and did not read back every tag." };
    silent = snapshot.answered ? 0 : silent + 1;
    const reasons = silent > 1 ? SILENT.reasons : snapshot.reasons;
    const count = countOf(work.job, tags);
    work.report(reasons.length > 0 ? { type: "stopped", reasons, count } : { type: "printing", count });
    await work.pause(interval);
    interval = Math.min(work.pollMs, interval * 2);
  }
}

/** A tag is longer than what was written to it: the rest of it is zeros. */
function matches(epc: string, asked: string): boolean {
  return epc.startsWith(asked) && /^0*$/.test(epc.slice(asked.length));
}
