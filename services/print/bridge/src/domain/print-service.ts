import type { Clock } from "@frontdesk/kit/clock";
import { labelsIn, usesTags } from "../languages/judge.ts";
import { recogniseLanguage } from "../languages/recognise.ts";
import {
  assertNoZpl,
  checkTemplate,
  fillTemplate,
  placeholdersOf,
  templateUsesRfid,
  Unusable,
} from "../languages/template.ts";
import { readZpl, TooManyCommands, type ZplDocument } from "../zpl/formats.ts";
import type { Access } from "./access.ts";
import { BridgeError } from "./errors.ts";
import { isFinal, type JobStatus, jobStatus } from "./job.ts";
import type { Journal } from "./journal.ts";
import { assertPrinting, type License } from "./license.ts";
import type { Limits } from "./limits.ts";
import type { Language, Printer, PrinterRecord, PrinterStatus } from "./printer.ts";
import type { PrinterQueues } from "./printer-queues.ts";
import type { OriginRecord, Registry, TemplateRecord } from "./registry.ts";

export type Encoding = "utf8" | "base64" | "hex";

export interface RawRequest {
  readonly printer: string;
  readonly data: string;
  readonly encoding: Encoding;
  readonly copies: number;
  readonly idempotencyKey?: string | undefined;
}

export interface TemplateRequest {
  readonly printer: string;
  readonly template: string;
  readonly labels: ReadonlyArray<{ readonly params: readonly string[] }>;
  readonly idempotencyKey?: string | undefined;
}

export interface TemplateInfo {
  readonly id: string;
  readonly name: string;
  readonly language: Language;
  readonly dpmm: number;
  readonly placeholders: number[];
  readonly rfid: boolean;
  readonly version: number;
}

export interface PrintServiceOptions {
  readonly registry: Registry;
  readonly access: Access;
  readonly queues: PrinterQueues;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly license: () => License;
}

export type PrintService = ReturnType<typeof createPrintService>;

/** Everything an origin can ask for, however it asks. */
export function createPrintService(options: PrintServiceOptions) {
  const { registry, access, queues, journal, limits } = options;

  function seenBy(alias: string, printer: PrinterRecord | undefined): Printer {
    return {
      id: alias,
      name: printer?.name ?? alias,
      transport: printer?.transport ?? "tcp",
      languages: printer?.languages ?? [],
      dpmm: printer?.dpmm ?? 8,
      rfid: printer?.rfid ?? false,
      feedback: printer?.feedback ?? "none",
      online: printer ? queues.lastStatus(printer.id).online : false,
    };
  }

  function assertRight(origin: OriginRecord, right: keyof OriginRecord["rights"], what: string): void {
    if (!origin.rights[right]) throw new BridgeError("ORIGIN_DENIED", `This origin may not ${what}.`);
  }

  function assertLanguage(printer: PrinterRecord, language: Language | undefined): void {
    if (language === undefined || printer.languages.includes(language)) return;
    throw new BridgeError(
      "LANGUAGE_MISMATCH",
      `The data is ${language}; the printer speaks ${printer.languages.join(", ")}.`,
      { language, languages: printer.languages },
    );
  }

  function assertSize(bytes: number): void {
    if (bytes <= limits.payloadBytes) return;
    throw new BridgeError("PAYLOAD_TOO_LARGE", `The data is over ${limits.payloadBytes} bytes.`, {
      limit: limits.payloadBytes,
    });
  }

  /** Right and license, judged on the whole of the data, whatever stands before its first command. */
  function assertRfid(
    origin: OriginRecord,
    printer: PrinterRecord,
    language: Language | undefined,
    text: string,
    zpl: ZplDocument | undefined,
  ): void {
    const license = options.license();
    // Of languages that are not read command by command, an RFID printer may do more than is known here.
    const uses =
      zpl?.usesRfid ||
      usesTags(language, text) ||
      (printer.rfid && language !== "zpl" && language !== undefined);
    assertPrinting(license, uses);
    if (uses) assertRight(origin, "rfid", "encode RFID tags");
    if (language !== undefined) return;
    // What cannot be read may hold anything.
    assertPrinting(license, true);
    assertRight(origin, "rfid", "print data whose language cannot be told");
  }

  /** Data that would block the printer, change what later jobs mean to it, or forge its answers. */
  function assertHarmless(
    origin: OriginRecord,
    zpl: ZplDocument,
    language: Language | undefined,
    printer: PrinterRecord,
  ): void {
    const isOther = language !== "zpl" && language !== undefined;
    const refuse = (what: string) => {
      const why = isOther ? "The printer speaks ZPL too and would obey it: the data" : "The ZPL";
      throw new BridgeError("PROTOCOL_ERROR", `${why} ${what}.`);
    };
    // A template of another language, or what was filled into it, becomes ZPL only for whoever may print that anyway.
    if (isOther && (zpl.formats.length > 0 || zpl.hasSettings))
      assertRight(origin, "raw", "print ZPL within another language");
    if (zpl.isUnfinished) refuse("begins a label (^XA) that it does not end (^XZ)");
    if (zpl.hazards.state !== undefined) refuse(zpl.hazards.state);
    if (language !== "cpcl" && zpl.hazards.utility !== undefined) refuse(zpl.hazards.utility);
    if (printer.feedback === "printer" && zpl.hazards.answers !== undefined) refuse(zpl.hazards.answers);
  }

  /** The last checks that any job has to pass, and the queue. */
  async function submit(
    origin: OriginRecord,
    alias: string,
    printer: PrinterRecord,
    job: {
      data: Uint8Array;
      copies: number;
      language: Language | undefined;
      labels?: number;
      key: string | undefined;
    },
  ): Promise<{ jobId: string }> {
    const { data, copies, language, key } = job;
    assertSize(data.length);
    // A printer that speaks ZPL finds it anywhere in the data, so there it is looked for.
    const mayBeZpl = printer.languages.includes("zpl");
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");
    const zpl = mayBeZpl ? judgeZpl(text, copies) : undefined;
    assertRfid(origin, printer, language, text, zpl);
    if (zpl) assertHarmless(origin, zpl, language, printer);
    const perCopy = zpl?.labels ?? 0;
    const known = Math.max(job.labels ?? 1, labelsIn(language, text), perCopy);
    const labels = (language === "zpl" ? perCopy : known) * copies;
    if (labels > limits.labelsPerJob) {
      throw new BridgeError(
        "PAYLOAD_TOO_LARGE",
        `The job has ${labels} labels; ${limits.labelsPerJob} are allowed.`,
        { limit: limits.labelsPerJob },
      );
    }
    const encodes = zpl?.formats.some(({ encodesTag }) => encodesTag) ?? false;
    const rfid = language === "zpl" && printer.rfid && encodes;
    const { origin: name } = origin;
    const jobId = await queues.accept({
      origin: name,
      alias,
      printer,
      data,
      copies,
      labels,
      language,
      rfid,
      key,
    });
    return { jobId };
  }

  return {
    printers: (origin: OriginRecord) =>
      access.printersOf(origin).map(({ alias, printer }) => seenBy(alias, printer)),

    async status(origin: OriginRecord, alias: string): Promise<PrinterStatus> {
      const printer = access.printerFor(origin, alias);
      try {
        return { ...(await queues.status(printer.id)), printer: alias };
      } catch (error) {
        // That a printer is away is an answer to this question, not a failure to answer it.
        if (!(error instanceof BridgeError) || error.code !== "PRINTER_OFFLINE") throw error;
        return { ...queues.lastStatus(printer.id), printer: alias };
      }
    },

    async printRaw(origin: OriginRecord, request: RawRequest): Promise<{ jobId: string }> {
      assertRight(origin, "raw", "print raw data");
      if (request.copies > limits.copies) {
        throw new BridgeError("PAYLOAD_TOO_LARGE", `At most ${limits.copies} copies are printed.`, {
          limit: limits.copies,
        });
      }
      const printer = access.printerFor(origin, request.printer);
      // Before anything is made of it: what is refused for its size must not cost more than its reading.
      assertSize(Math.floor(request.data.length * SMALLEST[request.encoding]));
      const data = decode(request.data, request.encoding);
      assertSize(data.length);
      if (data.length === 0) throw new BridgeError("PROTOCOL_ERROR", "There is no data to print.");
      const language = recogniseLanguage(data);
      assertLanguage(printer, language);
      return submit(origin, request.printer, printer, {
        data,
        copies: request.copies,
        language,
        key: request.idempotencyKey,
      });
    },

    async printTemplate(origin: OriginRecord, request: TemplateRequest): Promise<{ jobId: string }> {
      assertRight(origin, "templates", "print templates");
      const printer = access.printerFor(origin, request.printer);
      const template = registry.templates.get(request.template);
      if (!template) throw new BridgeError("TEMPLATE_UNKNOWN", `There is no template "${request.template}".`);
      assertLanguage(printer, template.language);
      if (request.labels.length > limits.labelsPerRequest) {
        throw new BridgeError(
          "PAYLOAD_TOO_LARGE",
          `At most ${limits.labelsPerRequest} labels are printed at once.`,
          {
            limit: limits.labelsPerRequest,
          },
        );
      }
      assertNoGaps(template, request);
      const filled: Uint8Array[] = [];
      let size = 0;
      for (const [label, { params }] of request.labels.entries()) {
        const part = fill(template, params, label, printer);
        filled.push(part, template.language === "zpl" ? NEWLINE : NOTHING);
        size += part.length + 1;
        assertSize(size);
      }
      return submit(origin, request.printer, printer, {
        data: Buffer.concat(filled),
        copies: 1,
        language: template.language,
        labels: request.labels.length,
        key: request.idempotencyKey,
      });
    },

    /** Prints a job that has ended again, as it was; whoever asks is whose job the new one is. */
    async reprint(origin: OriginRecord, id: string): Promise<{ jobId: string }> {
      const job = journal.job(id);
      if (!job) throw new BridgeError("JOB_UNKNOWN", "There is no such job, or it is too long ago.");
      if (!isFinal(job.state)) throw new BridgeError("PROTOCOL_ERROR", "The job has not ended yet.");
      if (!journal.hasData(id))
        throw new BridgeError("JOB_UNKNOWN", "What this job printed is no longer kept.");
      const printer = access.printerFor(origin, job.printer);
      const { copies, language } = job;
      assertLanguage(printer, language);
      const labels = Math.ceil(job.count.asked / copies);
      return submit(origin, job.printer, printer, {
        data: journal.data(id),
        copies,
        language,
        labels,
        key: undefined,
      });
    },

    /** A question to the printer itself, which prints nothing; its answer may tell anything of the printer. */
    async query(origin: OriginRecord, alias: string, question: Uint8Array): Promise<Uint8Array> {
      assertRight(origin, "raw", "ask the printer in its own language");
      return queues.query(access.printerFor(origin, alias).id, question);
    },

    job(origin: OriginRecord, id: string): JobStatus {
      const job = journal.job(id);
      if (!job || job.origin !== origin.origin) throw new BridgeError("JOB_UNKNOWN", "There is no such job.");
      return jobStatus(job);
    },

    cancel(origin: OriginRecord, id: string): never {
      this.job(origin, id);
      throw new BridgeError(
        "JOB_NOT_CANCELLABLE",
        "A job that was accepted is printed; it cannot be cancelled.",
      );
    },

    templates(origin: OriginRecord, alias?: string): TemplateInfo[] {
      const printer = alias === undefined ? undefined : access.printerFor(origin, alias);
      return registry.templates
        .all()
        .filter(
          ({ language, dpmm }) => !printer || (printer.languages.includes(language) && printer.dpmm === dpmm),
        )
        .map(templateInfo);
    },
  };
}

export function templateInfo({ id, name, language, dpmm, body, version }: TemplateRecord): TemplateInfo {
  const rfid = templateUsesRfid(language, body);
  return { id, name, language, dpmm, placeholders: placeholdersOf(body), rfid, version };
}

/** Puts a template in its place as the next version of itself, or says what is wrong with it. */
export function saveTemplate(
  registry: Registry,
  template: Omit<TemplateRecord, "version">,
  now: number,
): TemplateRecord {
  try {
    checkTemplate(template.language, template.body);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new BridgeError("PROTOCOL_ERROR", error.message);
  }
  const current = registry.templates.get(template.id)?.version ?? 0;
  const last = registry.templateVersions.of(template.id)[0]?.template.version ?? 0;
  const saved = { ...template, version: Math.max(current, last) + 1 };
  registry.together(() => {
    registry.templates.put(template.id, saved);
    registry.templateVersions.add(saved, now);
  });
  return saved;
}

/** Every gap of every label, so that the caller can mend all at once. */
function assertNoGaps(template: TemplateRecord, request: TemplateRequest): void {
  const wanted = placeholdersOf(template.body);
  const missing = request.labels.flatMap(({ params }, label) => {
    const gaps = wanted.filter((number) => params[number - 1] === undefined);
    return gaps.length > 0 ? [{ label, placeholders: gaps }] : [];
  });
  if (missing.length === 0) return;
  throw new BridgeError("TEMPLATE_PARAMS_MISSING", "Some placeholders have no value; nothing was printed.", {
    missing,
  });
}

/** Twenty-five for each of ten thousand labels. What only looks like commands must not cost seconds. */
const MAX_COMMANDS = 250_000;

function judgeZpl(text: string, copies: number): ZplDocument {
  try {
    return readZpl(text, { isRepeated: copies > 1, maxCommands: MAX_COMMANDS });
  } catch (error) {
    if (!(error instanceof TooManyCommands)) throw error;
    throw new BridgeError("PAYLOAD_TOO_LARGE", `The data has over ${MAX_COMMANDS} ZPL commands.`, {
      limit: MAX_COMMANDS,
    });
  }
}

const NEWLINE = Buffer.from("\n");
const NOTHING = Buffer.alloc(0);

function fill(
  template: TemplateRecord,
  params: readonly string[],
  label: number,
  printer: PrinterRecord,
): Uint8Array {
  try {
    if (printer.languages.includes("zpl")) for (const value of params) assertNoZpl(template.language, value);
    return fillTemplate(template.language, template.body, params);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new BridgeError("PROTOCOL_ERROR", `A value of label ${label} ${error.message}.`, { label });
  }
}

/** No fewer bytes come of a character of each encoding, but for the padding at the end of base64. */
const SMALLEST: Readonly<Record<Encoding, number>> = { utf8: 1, base64: 0.74, hex: 0.5 };

/** Buffer passes over what it cannot read: what is missing afterwards was not of the encoding. */
function decode(data: string, encoding: Encoding): Uint8Array {
  const bytes = Buffer.from(data, encoding);
  if (encoding === "utf8") return bytes;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const isWhole =
    encoding === "hex"
      ? bytes.length * 2 === data.length
      : data.length % 4 === 0 && bytes.length === (data.length / 4) * 3 - padding && !/[-_\s]/.test(data);
  if (!isWhole) throw new BridgeError("PROTOCOL_ERROR", `The data is not ${encoding}.`);
  return bytes;
}
