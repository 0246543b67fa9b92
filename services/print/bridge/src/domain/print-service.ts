import type { Clock } from "@frontdesk/kit/clock";
import { recogniseLanguage } from "../languages/recognise.ts";
import type { Access } from "./access.ts";
import { BridgeError } from "./errors.ts";
import { isFinal, type JobStatus, jobStatus } from "./job.ts";
import { admitJob, assertLanguage, assertRight, assertSize, type OfferedJob } from "./job-admission.ts";
import type { Journal } from "./journal.ts";
import type { License } from "./license.ts";
import type { Limits } from "./limits.ts";
import type { Printer, PrinterRecord, PrinterStatus } from "./printer.ts";
import type { PrinterQueues } from "./printer-queues.ts";
import type { OriginRecord, Registry } from "./registry.ts";
import { fillLabels, rememberedTemplateInfo, type TemplateInfo, type TemplateLabel } from "./templates.ts";

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
  readonly labels: readonly TemplateLabel[];
  readonly idempotencyKey?: string | undefined;
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

/** Whose job it is, and where it goes. */
interface Submission {
  readonly origin: OriginRecord;
  readonly alias: string;
  readonly printer: PrinterRecord;
  /** Throws where an origin may not print in this way. */
  readonly may: (origin: OriginRecord) => void;
  /** The origin as it is by now: a job may wait for its printer before it is accepted. Throws where it was let out. */
  readonly current: () => OriginRecord;
}

const mayPrintRaw = (origin: OriginRecord) => assertRight(origin, "raw", "print raw data");
const mayPrintTemplates = (origin: OriginRecord) => assertRight(origin, "templates", "print templates");

/** Everything an origin can ask for, however it asks. */
export function createPrintService(options: PrintServiceOptions) {
  const { registry, access, queues, journal, limits } = options;
  const infoOf = rememberedTemplateInfo();

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

  /** A print that was accepted is not judged again: it prints, whatever its origin may do by now. */
  function repeated(
    { origin }: OriginRecord,
    { idempotencyKey }: Pick<RawRequest, "idempotencyKey">,
  ): Promise<{ jobId: string }> | undefined {
    return queues.accepted(origin, idempotencyKey)?.then((jobId) => ({ jobId }));
  }

  async function submit(
    { origin, alias, printer, may, current }: Submission,
    { key, ...job }: OfferedJob & { readonly key: string | undefined },
  ): Promise<{ jobId: string }> {
    const judge = (whose: OriginRecord, device: PrinterRecord) => {
      may(whose);
      assertLanguage(device, job.language);
      return admitJob({ limits, license: options.license() }, whose, device, job);
    };
    const admitted = judge(origin, printer);
    const jobId = await queues.accept({
      origin: origin.origin,
      alias,
      printer,
      data: job.data,
      copies: job.copies,
      language: job.language,
      ...admitted,
      key,
      assertStill: () => {
        const device = access.printerFor(current(), alias);
        if (device.id !== printer.id)
          throw new BridgeError("PRINTER_UNBOUND", `"${alias}" has become another printer; print again.`);
        judge(current(), device);
      },
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

    /** `current` tells whose request it is by now, and throws where that is nobody any more. */
    async printRaw(
      origin: OriginRecord,
      request: RawRequest,
      current = () => origin,
    ): Promise<{ jobId: string }> {
      const known = repeated(origin, request);
      if (known) return known;
      mayPrintRaw(origin);
      if (request.copies > limits.copies) {
        throw new BridgeError("PAYLOAD_TOO_LARGE", `At most ${limits.copies} copies are printed.`, {
          limit: limits.copies,
        });
      }
      const printer = access.printerFor(origin, request.printer);
      // Before anything is made of it: what is refused for its size must not cost more than its reading.
      assertSize(Math.floor(request.data.length * SMALLEST[request.encoding]), limits);
      const data = decode(request.data, request.encoding);
      assertSize(data.length, limits);
      if (data.length === 0) throw new BridgeError("PROTOCOL_ERROR", "There is no data to print.");
      return await submit(
        { origin, alias: request.printer, printer, may: mayPrintRaw, current },
        {
          data,
          copies: request.copies,
          language: recogniseLanguage(data),
          key: request.idempotencyKey,
        },
      );
    },

    async printTemplate(
      origin: OriginRecord,
      request: TemplateRequest,
      current = () => origin,
    ): Promise<{ jobId: string }> {
      const known = repeated(origin, request);
      if (known) return known;
      mayPrintTemplates(origin);
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
      return submit(
        { origin, alias: request.printer, printer, may: mayPrintTemplates, current },
        {
          data: fillLabels(template, request.labels, printer, limits),
          copies: 1,
          language: template.language,
          labels: request.labels.length,
          key: request.idempotencyKey,
        },
      );
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
      const labels = Math.ceil(job.count.asked / copies);
      return submit(
        { origin, alias: job.printer, printer, may: () => {}, current: () => origin },
        { data: journal.data(id), copies, language, labels, key: undefined },
      );
    },

    /** A question to the printer itself, which prints nothing; its answer may tell anything of the printer. */
    async query(origin: OriginRecord, alias: string, question: Uint8Array): Promise<Uint8Array> {
      assertRight(origin, "raw", "ask the printer in its own language");
      return queues.query(origin.origin, access.printerFor(origin, alias).id, question);
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
        .map(infoOf);
    },
  };
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
