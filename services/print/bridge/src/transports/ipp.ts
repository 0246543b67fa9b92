import { BridgeError } from "../domain/errors.ts";
import type { DeviceStatus } from "../domain/printer.ts";
import { plainText } from "../domain/printer-clues.ts";
import { NotTaken, oneByOne, type Spooler, type SpoolerJob } from "../domain/spooler.ts";
import { GROUP, type IppGroup, type IppMessage, type IppValue } from "./ipp-codec.ts";
import { askIpp, FIRST_ERROR, type IppExtras, type IppOptions, textsOf } from "./ipp-request.ts";

const OPERATION = { printJob: 0x0002, getJob: 0x0009, getJobs: 0x000a, getPrinter: 0x000b } as const;
const TOO_MANY = "too-many-jobs";
/**
 * Refusals for now (RFC 8011, B.1.5): nothing was taken, and the document may be handed over again. In the words
 * of a job's reasons.
 */
const FOR_NOW: Readonly<Record<number, string>> = {
  1284: "device-error",
  1285: "temporary-error",
  1286: "not-accepting-jobs",
  1287: "busy",
  1291: TOO_MANY,
};
/** What CUPS answers for good and for now alike; its message tells which ("Too many active jobs.", "Quota limit reached."). */
const NOT_POSSIBLE = 0x0404;
const NO_ROOM = /too many|quota/i;
const NOT_FOUND = 0x0406;
const FIRST_SERVER_ERROR = 0x0500;
const OPERATION_NOT_SUPPORTED = 0x0501;

/** job-state (RFC 8011, 5.3.7) in our words. */
const JOB_STATES: Readonly<Record<number, SpoolerJob["state"]>> = {
  3: "waiting",
  4: "held",
  5: "waiting",
  6: "held",
  7: "failed",
  8: "failed",
  9: "done",
};
/** Reasons go into jobs, the journal and every page's events. A printer rarely has more than two or three. */
const MAX_REASONS = 20;
/** RFC 8011, 5.1.4. */
const MAX_KEYWORD = 255;
/** Of a job that waits for its turn, this alone tells that it waits for somebody at the printer (RFC 8011, 5.3.8). */
const PRINTER_IS_STOPPED = "printer-stopped";
const PRINTER_STOPPED = 5;
const PRINTER_PROCESSING = 4;

/** Formats that carry a printer's own language untouched, the most telling first. */
const RAW_FORMATS = ["application/vnd.cups-raw", "application/vnd.zebra-zpl", "application/octet-stream"];

/** An IPP printer, or a queue of CUPS, which speaks the same. */
export function createIppSpooler(options: IppOptions): Spooler {
  const uri = URL.parse(options.uri);
  if (!uri || !["ipp:", "ipps:"].includes(uri.protocol)) {
    throw new BridgeError("PROTOCOL_ERROR", "The address is not one like ipp://host/ipp/print.");
  }
  const send = (operation: number, more: IppGroup["attributes"], extras: IppExtras): Promise<IppMessage> =>
    askIpp(options, operation, more, extras);

  async function printerAttributes(signal?: AbortSignal) {
    const attributes = wanted(
      "printer-state",
      "printer-state-reasons",
      "document-format-supported",
      "queued-job-count",
      "printer-is-accepting-jobs",
    );
    const reply = await send(OPERATION.getPrinter, attributes, { signal });
    if (reply.code >= FIRST_ERROR) {
      throw new BridgeError(
        "PRINTER_OFFLINE",
        `The print server has no such printer (IPP 0x${reply.code.toString(16)}).`,
      );
    }
    return groupOf(reply, GROUP.printer);
  }

  /** The jobs that the printer has and has not ended, whoever handed them over. It need not list them, nor tell their state. */
  async function activeJobs(signal?: AbortSignal): Promise<Map<string, SpoolerJob>> {
    const attributes = { ...OWNER, ...wanted("job-id", ...JOB_ATTRIBUTES) };
    const reply = await send(OPERATION.getJobs, attributes, { signal });
    const isRefused = reply.code >= FIRST_ERROR && reply.code < FIRST_SERVER_ERROR;
    if (isRefused || reply.code === OPERATION_NOT_SUPPORTED) return new Map();
    if (reply.code >= FIRST_ERROR) throw untold(reply);
    return new Map(
      reply.groups.flatMap(({ tag, attributes }) => {
        const id = tag === GROUP.job ? number(attributes["job-id"]) : undefined;
        const isTold = id !== undefined && number(attributes["job-state"]) !== undefined;
        return isTold ? [[String(id), stateOf(attributes)]] : [];
      }),
    );
  }

  async function job(name: string, signal?: AbortSignal): Promise<SpoolerJob> {
    const id = { "job-id": [{ tag: "integer" as const, value: Number(name) }] };
    const reply = await send(OPERATION.getJob, { ...id, ...OWNER, ...wanted(...JOB_ATTRIBUTES) }, { signal });
    if (reply.code === NOT_FOUND) return { state: "gone", reasons: [] };
    if (reply.code >= FIRST_ERROR) throw untold(reply);
    return stateOf(groupOf(reply, GROUP.job));
  }

  return {
    async submit(title, data, copies, signal) {
      const formats = textsOf(
        (await beforeTheDocument(printerAttributes(signal)))["document-format-supported"],
      );
      const format =
        RAW_FORMATS.find((candidate) => formats.includes(candidate)) ?? "application/octet-stream";
      const reply = await send(
        OPERATION.printJob,
        {
          ...OWNER,
          "job-name": [{ tag: "name", value: title }],
          "document-format": [{ tag: "mime", value: format }],
        },
        { document: Array.from({ length: copies }, () => data), signal },
      );
      const forNow = refusedForNow(reply);
      if (forNow !== undefined)
        throw new NotTaken(forNow, `The print server does not take the job now (${forNow}).`);
      const status = `IPP 0x${reply.code.toString(16)}`;
      if (reply.code >= FIRST_ERROR)
        throw new BridgeError("PRINTER_OFFLINE", `The print server did not take the job (${status}).`);
      const id = number(groupOf(reply, GROUP.job)["job-id"]);
      if (id === undefined)
        throw new BridgeError(
          "TRANSPORT_TIMEOUT",
          `The print server took the job and did not say under which number (${status}).`,
        );
      return String(id);
    },
    /** One question for all that the printer has not ended; only of the others each is asked after. */
    async jobs(names, signal) {
      const active = await activeJobs(signal);
      const ended = names.filter((name) => !active.has(name));
      return new Map([...active, ...(await oneByOne(ended, (name) => job(name, signal)))]);
    },
    async status(signal): Promise<DeviceStatus> {
      const printer = await printerAttributes(signal);
      const state = number(printer["printer-state"]);
      return {
        online: true,
        state: state === PRINTER_STOPPED ? "stopped" : state === PRINTER_PROCESSING ? "printing" : "ready",
        reasons: state === PRINTER_STOPPED ? reasonsOf(printer["printer-state-reasons"], "stopped") : [],
        labelsRemaining: 0,
      };
    },
  };
}

/** Why a document is not taken for now; undefined where it was taken, or refused for good. */
function refusedForNow(reply: IppMessage): string | undefined {
  const [message = ""] = textsOf(groupOf(reply, GROUP.operation)["status-message"]);
  if (reply.code === NOT_POSSIBLE && NO_ROOM.test(message)) return TOO_MANY;
  return FOR_NOW[reply.code];
}

const JOB_ATTRIBUTES = ["job-state", "job-state-reasons", "job-name"] as const;

/** CUPS tells the names of jobs to their owner only. */
const OWNER: IppGroup["attributes"] = { "requesting-user-name": [{ tag: "name", value: "frontdesk" }] };

const wanted = (...names: readonly string[]): IppGroup["attributes"] => ({
  "requested-attributes": names.map((value) => ({ tag: "keyword" as const, value })),
});

function stateOf(job: IppGroup["attributes"]): SpoolerJob {
  const state = JOB_STATES[number(job["job-state"]) ?? 0] ?? "waiting";
  const reasons = reasonsOf(job["job-state-reasons"]);
  const isHeldUp = state === "waiting" && reasons.includes(PRINTER_IS_STOPPED);
  return { state: isHeldUp ? "held" : state, reasons, title: textsOf(job["job-name"])[0] };
}

const untold = ({ code }: IppMessage) =>
  new BridgeError(
    "PRINTER_OFFLINE",
    `The print server does not tell how the job stands (IPP 0x${code.toString(16)}).`,
  );

/** A question that fails before a document is handed over says nothing about the document. */
async function beforeTheDocument<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    throw new NotTaken("offline", error.message);
  }
}

const groupOf = (message: IppMessage, tag: number) =>
  message.groups.find((group) => group.tag === tag)?.attributes ?? {};

function number(values: readonly IppValue[] | undefined): number | undefined {
  const value = values?.[0]?.value;
  return typeof value === "number" ? value : undefined;
}

function reasonsOf(values: readonly IppValue[] | undefined, otherwise?: string): string[] {
  const reasons = textsOf(values)
    .filter((reason) => reason !== "none")
    .slice(0, MAX_REASONS)
    .flatMap((reason) => plainText(reason, MAX_KEYWORD) ?? []);
  return reasons.length > 0 || otherwise === undefined ? reasons : [otherwise];
}
