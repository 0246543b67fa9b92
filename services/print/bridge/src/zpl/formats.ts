import { sgdLines, type ZplHazards, zplHazards } from "./hazards.ts";
import { readFieldHex, scanZpl, type ZplCommand } from "./scanner.ts";

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
  /** Whether its last format is begun (`^XA`) and not ended (`^XZ`): a printer would wait for its end for ever. */
  readonly isUnfinished: boolean;
  readonly hazards: ZplHazards;
}

const PRINTS = new Set("^FD ^FV ^SN ^SF ^GB ^GC ^GD ^GE ^GF ^GS ^XG ^XF ^IM ^IL".split(" "));
const TAG_COMMANDS = new Set(
  "^RF ^RB ^RM ^RR ^RQ ^RS ^RT ^RU ^RW ^RZ ^RL ^RA ^RE ^RI ^RN ^RP ^WT ^WV ^WF ^HR ~RV ~RO".split(" "),
);

export function readZpl(text: string): ZplDocument {
  const formats: ZplFormat[] = [];
  const { commands: all, isCut } = scanZpl(text);
  const settings = sgdLines(text);
  let usesRfid = settings.some(({ name }) => name.startsWith("rfid."));
  let start: number | undefined;
  let commands: ZplCommand[] = [];
  for (const command of all) {
    usesRfid ||= TAG_COMMANDS.has(command.name);
    if (command.name === "^XA") {
      start = command.start;
      commands = [];
    } else if (command.name === "^XZ" && start !== undefined) {
      formats.push({ start, end: command.end, ...understand(commands) });
      start = undefined;
    } else if (start !== undefined) commands.push(command);
  }
  const labels = formats.reduce((sum, format) => sum + format.labels, 0);
  const hazards = zplHazards(text, all, settings, isCut);
  return { formats, labels, usesRfid, isUnfinished: start !== undefined, hazards };
}

export const fieldsOf = (command: ZplCommand | undefined): string[] =>
  command ? command.parameters.split(command.delimiter).map((field) => field.trim()) : [];

function understand(commands: readonly ZplCommand[]): Omit<ZplFormat, "start" | "end"> {
  const find = (name: string) => commands.find((command) => command.name === name);
  const quantity = Number.parseInt(fieldsOf(commands.findLast(({ name }) => name === "^PQ"))[0] ?? "", 10);
  // `^DF` stores the format; `^IS` stores its picture and prints it only where told to, which is the default.
  const onlyStores = find("^DF") !== undefined || fieldsOf(find("^IS"))[1]?.toUpperCase() === "N";
  const prints = !onlyStores && commands.some(({ name }) => PRINTS.has(name));
  const write = commands.findIndex(
    ({ name, parameters }) => name === "^RF" && /^[WP]/i.test(parameters.trimStart()),
  );
  return {
    labels: prints ? Math.max(1, quantity || 1) : 0,
    encodesTag: write >= 0,
    epc: write >= 0 ? tagValue(commands, write) : undefined,
    setsTries: find("^RS") !== undefined,
  };
}

/** Bank and first block of `^RFW` that are the EPC's beginning; bank 1 holds two other blocks before it. */
const EPC_PLACES = new Set([" ", " 0", "E ", "E 0", "A ", "A 0", "1 2"]);

/**
 * What a write leaves in the tag's EPC: hexadecimal or ASCII data from the beginning of that bank. Of
 * anything else (partitions by `^RB`, other banks, other places) nobody can tell.
 */
function tagValue(commands: readonly ZplCommand[], write: number): string | undefined {
  const [, kind = "", block = "", , bank = ""] = fieldsOf(commands[write]);
  if (!EPC_PLACES.has(`${bank.toUpperCase()} ${block}`)) return undefined;
  let indicator: string | undefined;
  for (const { name, parameters } of commands.slice(write + 1)) {
    if (name === "^FS") return undefined;
    if (name === "^FH") indicator = parameters.trim().charAt(0) || "_";
    if (name !== "^FD" && name !== "^FV") continue;
    const value = readFieldHex(parameters, indicator);
    // Nothing written is nothing to compare with: any tag would begin with it.
    if (value.trim() === "") return undefined;
    if (kind.toUpperCase() === "A") return Buffer.from(value, "latin1").toString("hex").toUpperCase();
    const digits = value.trim().toUpperCase();
    return kind.toUpperCase() === "H" && /^[0-9A-F]+$/.test(digits) ? digits : undefined;
  }
  return undefined;
}
