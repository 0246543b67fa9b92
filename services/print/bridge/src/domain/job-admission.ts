import { labelsIn, usesTags } from "../languages/judge.ts";
import { readZpl, TooManyCommands, type ZplDocument } from "../zpl/formats.ts";
import { BridgeError } from "./errors.ts";
import { assertPrinting, type License } from "./license.ts";
import type { Limits } from "./limits.ts";
import type { Language, PrinterRecord } from "./printer.ts";
import type { OriginRecord } from "./registry.ts";

/** A job that somebody wants to print. */
export interface OfferedJob {
  readonly data: Uint8Array;
  readonly copies: number;
  readonly language: Language | undefined;
  /** How many labels a copy has, where whoever offers it knows. */
  readonly labels?: number;
}

/** What the queue has to know of a job that was admitted. */
export interface AdmittedJob {
  readonly labels: number;
  /** Whether its tags are read back. */
  readonly rfid: boolean;
}

/** Rights, license, limits and the printer's safety, judged on the whole of the data: throws where it must not print. */
export function admitJob(
  { limits, license }: { readonly limits: Limits; readonly license: License },
  origin: OriginRecord,
  printer: PrinterRecord,
  job: OfferedJob,
): AdmittedJob {
  const { data, copies, language } = job;
  assertSize(data.length, limits);
  // A printer that speaks ZPL finds it anywhere in the data, so there it is looked for.
  const mayBeZpl = printer.languages.includes("zpl");
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");
  const zpl = mayBeZpl ? judgeZpl(text, copies) : undefined;
  assertRfid(license, origin, printer, language, text, zpl);
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
  return { labels, rfid: language === "zpl" && printer.rfid && encodes };
}

export function assertRight(origin: OriginRecord, right: keyof OriginRecord["rights"], what: string): void {
  if (!origin.rights[right]) throw new BridgeError("ORIGIN_DENIED", `This origin may not ${what}.`);
}

export function assertLanguage(printer: PrinterRecord, language: Language | undefined): void {
  if (language === undefined || printer.languages.includes(language)) return;
  throw new BridgeError(
    "LANGUAGE_MISMATCH",
    `The data is ${language}; the printer speaks ${printer.languages.join(", ")}.`,
    { language, languages: printer.languages },
  );
}

export function assertSize(bytes: number, limits: Limits): void {
  if (bytes <= limits.payloadBytes) return;
  throw new BridgeError("PAYLOAD_TOO_LARGE", `The data is over ${limits.payloadBytes} bytes.`, {
    limit: limits.payloadBytes,
  });
}

/** Right and license, judged on the whole of the data, whatever stands before its first command. */
function assertRfid(
  license: License,
  origin: OriginRecord,
  printer: PrinterRecord,
  language: Language | undefined,
  text: string,
  zpl: ZplDocument | undefined,
): void {
  // Of languages that are not read command by command, and of formats that are stored in it, an RFID printer may do
  // more than is known here.
  const isHidden = zpl?.recallsFormat || (language !== "zpl" && language !== undefined);
  const uses = zpl?.usesRfid || usesTags(language, text) || (printer.rfid && isHidden);
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
  if (!isOther && zpl.hazards.controls !== undefined) refuse(zpl.hazards.controls);
  if (language !== "cpcl" && zpl.hazards.utility !== undefined) refuse(zpl.hazards.utility);
  if (printer.feedback === "printer" && zpl.hazards.answers !== undefined) refuse(zpl.hazards.answers);
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
