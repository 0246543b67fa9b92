import { createHazardJudge, type ZplHazards } from "./hazards.ts";
import { COMMAND_PREFIX, createZplScanner, readFieldHex, type ZplCommand } from "./scanner.ts";
import { readSgd } from "./sgd.ts";

/** A ZPL label format in the bytes of a job: from its `^XA` to after its `^XZ`. */
export interface ZplFormat {
  readonly start: number;
  readonly end: number;
  /** How many labels come out of it; none when it only sets or stores something. */
  readonly labels: number;
  readonly encodesTag: boolean;
  /** What it writes to the tag, in hexadecimal, where that can be told. */
  readonly epc: string | undefined;
  readonly setsTries: boolean;
}

/** What a job's ZPL amounts to. */
export interface ZplDocument {
  readonly formats: readonly ZplFormat[];
  /** How many labels come out of it. */
  readonly labels: number;
  /** Whether it works with RFID tags at all: what a right or a license may forbid. */
  readonly usesRfid: boolean;
  /** Whether it prints a format that is stored in the printer, which may hold anything. */
  readonly recallsFormat: boolean;
  /** Whether its last format is begun (`^XA`) and not ended (`^XZ`): a printer would wait for its end for ever. */
  readonly isUnfinished: boolean;
  readonly hazards: ZplHazards;
  /** Whether it sets, asks or does anything by `! U1 …`. */
  readonly hasSettings: boolean;
}

export interface ReadingLimits {
  /** Whether the data is sent more than once without a break, so that its end and its beginning meet. */
  readonly isRepeated?: boolean;
  readonly maxCommands?: number;
}

/** The data has more commands than a reader was ready to look at. */
export class TooManyCommands extends Error {
  override name = "TooManyCommands";
}

const PRINTS = new Set("^FD ^FV ^SN ^SF ^GB ^GC ^GD ^GE ^GF ^GS ^XG ^XF ^IM ^IL".split(" "));
const TAG_COMMANDS = new Set(
  "^RF ^RB ^RM ^RR ^RQ ^RS ^RT ^RU ^RW ^RZ ^RL ^RA ^RE ^RI ^RN ^RP ^WT ^WV ^WF ^HR ~RV ~RO".split(" "),
);

/** Reads command by command and keeps what comes of each label alone: a job may have a great many commands. */
export function readZpl(
  text: string,
  { isRepeated = false, maxCommands = Number.POSITIVE_INFINITY }: ReadingLimits = {},
): ZplDocument {
  const formats: ZplFormat[] = [];
  const judge = createHazardJudge();
  let usesRfid = false;
  let recallsFormat = false;
  let hasSettings = false;
  let labels = 0;
  let start: number | undefined;
  let reader = createFormatReader();
  let last: ZplCommand | undefined;
  let left = maxCommands;
  const count = () => {
    if (left-- <= 0) throw new TooManyCommands();
  };
  const hear = (command: ZplCommand) => {
    count();
    judge.command(command);
    usesRfid ||= TAG_COMMANDS.has(command.name);
    recallsFormat ||= command.name === "^XF";
  };
  const scanner = createZplScanner({
    command: (command) => {
      hear(command);
      last = command;
      if (command.name === "^XA") {
        // One within a label begins no other for every firmware: what stands before it counts.
        if (start === undefined) reader = createFormatReader();
        start ??= command.start;
      } else if (command.name === "^XZ" && start !== undefined) {
        const format = { start, end: command.end, ...reader.result() };
        formats.push(format);
        labels += format.labels;
        start = undefined;
      } else if (start !== undefined) reader.take(command);
    },
  });
  scanner.push(text);
  const { isCut: isZplCut, hasControls } = scanner.finish();
  // The next copy begins in the last command's parameters. Whatever else it could begin in is refused.
  if (isRepeated && last?.end === text.length) {
    const seam = createZplScanner({ command: hear });
    seam.push(text.slice(last.start));
    seam.push(text.slice(0, Math.max(0, text.search(COMMAND_PREFIX))));
    seam.finish();
  }
  const isSgdCut = readSgd(text, {
    look: count,
    command: (command) => {
      judge.setting(command);
      hasSettings = true;
      usesRfid ||= command.name?.startsWith("rfid.") ?? false;
    },
    utility: (word) => {
      judge.utility(word);
      hasSettings = true;
    },
  }).isCut;
  const seam = isRepeated ? text.slice(-SEAM) + text.slice(0, SEAM) : "";
  const hazards = judge.verdict(text, seam, { isCut: isZplCut || isSgdCut, hasControls });
  const isUnfinished = start !== undefined;
  return { formats, labels, usesRfid, recallsFormat, isUnfinished, hazards, hasSettings };
}

const SEAM = 40;
/** Of the parameters of one command, so much is looked at for fields. */
const MAX_FIELDS_LENGTH = 1_000;
/** Longer data than any tag holds. */
const MAX_TAG_DATA = 8_192;

export const fieldsOf = (command: ZplCommand | undefined): string[] =>
  command
    ? command.parameters
        .slice(0, MAX_FIELDS_LENGTH)
        .split(command.delimiter)
        .map((field) => field.trim())
    : [];

/** What comes of one label, heard command by command. */
function createFormatReader() {
  let quantity = 1;
  let prints = false;
  let onlyStores = false;
  let imageSaved = false;
  let setsTries = false;
  let write: ReturnType<typeof createTagReader> | undefined;
  /** The character that begins a hexadecimal byte in the current field (`^FH`). */
  let indicator: string | undefined;
  return {
    take(command: ZplCommand): void {
      const { name, parameters } = command;
      prints ||= PRINTS.has(name);
      if (name === "^FH") indicator = parameters.trim().charAt(0) || "_";
      else if (name === "^FS") indicator = undefined;
      write?.take(command, indicator);
      if (name === "^PQ") quantity = Number.parseInt(fieldsOf(command)[0] ?? "", 10) || 1;
      else if (name === "^RS") setsTries = true;
      else if (isTagWrite(command)) write ??= createTagReader(command);
      else if (name === "^DF") onlyStores = true;
      else if (name === "^IS" && !imageSaved) {
        // `^DF` stores the format; `^IS` stores its picture and prints it only where told to, which is the default.
        imageSaved = true;
        onlyStores ||= fieldsOf(command)[1]?.toUpperCase() === "N";
      }
    },
    result: (): Omit<ZplFormat, "start" | "end"> => ({
      labels: prints && !onlyStores ? Math.max(1, quantity) : 0,
      encodesTag: write !== undefined,
      epc: write?.epc(),
      setsTries,
    }),
  };
}

/** Bank and first block of `^RFW` that are the EPC's beginning; bank 1 holds two other blocks before it. */
const EPC_PLACES = new Set([" ", " 0", "E ", "E 0", "A ", "A 0", "1 2"]);

/** Banks that hold no part of the EPC: a second write to one of them leaves it as it is. */
const OTHER_BANKS = new Set(["0", "2", "3"]);

const bankOf = (write: ZplCommand) => (fieldsOf(write)[4] ?? "").toUpperCase();
const isTagWrite = ({ name, parameters }: ZplCommand) => name === "^RF" && /^\s*[WP]/i.test(parameters);

/**
 * What a write leaves in the tag's EPC: hexadecimal or ASCII data from the beginning of that bank. Of
 * anything else (partitions by `^RB`, other banks, other places, data that the printer counts on from label to
 * label, a second write) nobody can tell.
 */
function createTagReader(write: ZplCommand) {
  const [, kind = "", block = ""] = fieldsOf(write);
  let isUnknown = !EPC_PLACES.has(`${bankOf(write)} ${block}`);
  let isFieldOver = false;
  let hasData = false;
  let epc: string | undefined;
  return {
    take(command: ZplCommand, indicator: string | undefined): void {
      const { name, parameters } = command;
      if (isTagWrite(command) && !OTHER_BANKS.has(bankOf(command))) isUnknown = true;
      if (isUnknown || isFieldOver) return;
      if (name === "^FS") isFieldOver = true;
      else if (name === "^SF" || name === "^SN") isUnknown = true;
      else if ((name === "^FD" || name === "^FV") && !hasData) {
        hasData = true;
        if (parameters.length <= MAX_TAG_DATA)
          epc = tagValue(kind.toUpperCase(), readFieldHex(parameters, indicator));
      }
    },
    epc: () => (isUnknown ? undefined : epc),
  };
}

function tagValue(kind: string, value: string): string | undefined {
  // Nothing written is nothing to compare with: any tag would begin with it.
  if (value.trim() === "") return undefined;
  if (kind === "A") return Buffer.from(value, "latin1").toString("hex").toUpperCase();
  const digits = value.trim().toUpperCase();
  return kind === "H" && /^[0-9A-F]+$/.test(digits) ? digits : undefined;
}
