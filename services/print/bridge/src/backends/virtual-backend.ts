import { type Backend, type JobDocument, untilItEnds } from "../domain/backend.ts";
import type { LabelResult } from "../domain/job.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import type { DeviceStatus, PrinterRecord } from "../domain/printer.ts";
import { plainText } from "../domain/printer-clues.ts";
import { readZpl, type ZplFormat } from "../zpl/formats.ts";
import { labelDrawings } from "./label-drawings.ts";

const READY: DeviceStatus = { online: true, state: "ready", reasons: [], labelsRemaining: 0 };

const MAX_WHY = 200;

export interface LabelPictures {
  /** Newest first. */
  list(printer: string): string[];
  /** How many of a printer are kept; older ones go. */
  readonly max: number;
  /** In the order of their names: where the last one is, all are that are kept. */
  put(printer: string, pictures: ReadonlyArray<readonly [name: string, picture: Uint8Array]>): Promise<void>;
}

/** A printer that is a folder: each label becomes a picture. A copy of a label is the same picture. */
export function createVirtualBackend(options: {
  readonly printer: PrinterRecord;
  readonly draw: (label: {
    readonly zpl: string;
    readonly widthMm: number;
    readonly heightMm: number;
    readonly dpmm: number;
  }) => Promise<Uint8Array[]>;
  readonly pictures: LabelPictures;
  /** The time in digits, always as many. Begins the name of each picture, so that names sort by age. */
  readonly stamp: () => string;
}): Backend {
  const { printer, pictures } = options;
  let closed = false;
  const formatsOf = ({ data }: JobDocument) => readZpl(Buffer.from(data).toString("latin1")).formats;

  const picturesOf = (job: JobDocument) => formatsOf(job).filter(({ labels }) => labels > 0).length;

  async function print(job: JobDocument): Promise<JobOutcome> {
    const asked = job.labels;
    const stamp = nextStamp(options.stamp(), pictures.list(printer.id));
    try {
      const { widthMm, heightMm, dpmm } = printer;
      const named: Array<readonly [name: string, picture: Uint8Array]> = [];
      const undrawable = new Set<number>();
      let problem: string | undefined;
      // Each label has its own time, and other printers' labels have their turns between.
      for (const { number, zpl } of labelDrawings(job.data, pictures.max)) {
        if (closed) return { type: "interrupted" };
        const drawn =
          zpl === undefined
            ? Promise.reject(new Error("the job stores or deletes too much"))
            : options.draw({ zpl, widthMm, heightMm, dpmm });
        const picture = (
          await drawn.catch((error: Error) => {
            problem ??= whyOf(error);
            return [];
          })
        ).at(-1);
        if (picture) named.push([`${stamp}-${job.id}-${String(number).padStart(5, "0")}.png`, picture]);
        else undrawable.add(number);
      }
      await pictures.put(printer.id, named);
      if (undrawable.size > 0 || (named.length === 0 && asked > 0))
        return undrawn(job, undrawable, named.length, problem);
    } catch (error) {
      const failure = {
        code: "INTERNAL",
        message: `The pictures could not be kept: ${whyOf(error as Error)}`,
      };
      return { type: "failed", verification: "printer", count: { asked, printed: 0 }, error: failure };
    }
    return done(job);
  }

  function done(job: JobDocument): JobOutcome {
    const count = { asked: job.labels, printed: job.labels };
    if (!job.rfid) return { type: "done", verification: "printer", count };
    const tags = labelsOf(formatsOf(job), job);
    return { type: "done", verification: "rfid", count: { ...count, tags } };
  }

  function undrawn(
    job: JobDocument,
    undrawable: ReadonlySet<number>,
    drawn: number,
    problem: string | undefined,
  ): JobOutcome {
    const tags = drawn > 0 ? labelsOf(formatsOf(job), job, undrawable) : [];
    const count = { asked: job.labels, printed: tags.filter(({ printed }) => printed).length };
    const why = problem ? `: ${problem}` : "; a virtual printer draws ZPL.";
    return {
      type: "failed",
      verification: "printer",
      count: tags.length > 0 ? { ...count, tags } : count,
      error: { code: "LABELS_MISSING", message: `Of the data ${drawn} pictures could be drawn${why}` },
    };
  }

  return {
    isReady: () => true,
    odometer: () => undefined,
    status: async () => READY,
    prepare: async () => READY,
    send: (job) => untilItEnds(print(job)),
    recover: (job) => {
      // The last picture of a job is written last, so where it is, all are.
      const made = pictures.list(printer.id).filter((name) => name.includes(job.id)).length;
      const wanted = Math.min(pictures.max, picturesOf(job));
      const outcome: JobOutcome =
        job.data.length > 0 && made > 0 && made >= wanted
          ? done(job)
          : { type: "lost", verification: "none", count: { asked: job.labels, printed: 0 } };
      return untilItEnds(Promise.resolve(outcome));
    },
    idle: () => {},
    close: async () => {
      closed = true;
    },
  };
}

/** The renderer repeats the whole of a command that it cannot draw. */
const whyOf = (error: Error) => plainText(error.message, MAX_WHY) ?? "for no reason that was told";

/** Names go on from the newest where the clock was set back: the oldest pictures go, not the new ones. */
function nextStamp(now: string, newestFirst: readonly string[]): string {
  const stamps = newestFirst.map((name) => name.slice(0, name.indexOf("-")));
  const newest = stamps.find((stamp) => stamp.length === now.length && /^\d+$/.test(stamp));
  return newest === undefined || newest < now ? now : String(BigInt(newest) + 1n);
}

/** What became of each label; a virtual tag takes whatever is written to it. `undrawable`: pictures that there are none of. */
function labelsOf(
  formats: readonly ZplFormat[],
  { copies }: JobDocument,
  undrawable: ReadonlySet<number> = new Set(),
): LabelResult[] {
  const once = formats
    .filter(({ labels }) => labels > 0)
    .flatMap(({ labels, epc }, n) => {
      const printed = !undrawable.has(n + 1);
      const encoded = printed && epc !== undefined;
      return Array.from({ length: labels }, () => ({
        printed,
        encoded,
        voided: false,
        epc: encoded ? epc : "",
      }));
    });
  return Array.from({ length: copies }, () => once)
    .flat()
    .map((label, index) => ({ index, ...label }));
}
