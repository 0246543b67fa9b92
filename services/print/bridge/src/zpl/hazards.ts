import type { ZplCommand } from "./scanner.ts";

/** Why a printer must not be given a job's data; nothing where it may. */
export interface ZplHazards {
  /** It would leave the printer in another state than it was found in, or cannot be judged. */
  readonly state: string | undefined;
  /**
   * It makes the printer answer. What it answers cannot be told from what the bridge asked, and a page chooses
   * its words: so it could call its own jobs, and those of others, done.
   */
  readonly answers: string | undefined;
}

/** A Set-Get-Do line: `! U1 setvar "name" "value"`, up to its line end. */
export interface SgdLine {
  readonly verb: string;
  readonly name: string;
  readonly value: string;
  readonly text: string;
  /** Whether its line end is there: without it the printer takes what comes next for the rest of it. */
  readonly isWhole: boolean;
}

/** The field in which the bridge has a tag read back. */
export const READ_BACK_FIELD = "9001";

const SGD = /! ?U1? +(setvar|getvar|do) +"/gi;
const SGD_PARTS = /^[^"]{0,40}"([^"]*)"(?:[^"]*"([^"]*)")?/;

/** The settings in a job's data. Each character is looked at once. */
export function sgdLines(text: string): SgdLine[] {
  const lines: SgdLine[] = [];
  SGD.lastIndex = 0;
  for (let found = SGD.exec(text); found; found = SGD.exec(text)) {
    const end = text.indexOf("\n", found.index);
    const line = text.slice(found.index, end < 0 ? text.length : end);
    const [, name = "", value = ""] = SGD_PARTS.exec(line) ?? [];
    const verb = (found[1] ?? "").toLowerCase();
    lines.push({ verb, name: name.toLowerCase(), value: value.toLowerCase(), text: line, isWhole: end >= 0 });
    SGD.lastIndex = found.index + line.length;
  }
  return lines;
}

/** What `^CC`, `^CT` and `^CD` may set anew: design programs begin with `~CC^~CT~`, which changes nothing. */
const DEFAULT_PREFIXES: Readonly<Record<string, string>> = {
  "^CC": "^",
  "~CC": "^",
  "^CT": "~",
  "~CT": "~",
  "^CD": ",",
  "~CD": ",",
};
const PREFIX_SETTINGS = new Set(["zpl.caret", "zpl.control_character", "zpl.delimiter"]);
/** Begins the printer's own BASIC, which can do and say anything. */
const BASIC = new Set(["^JI", "~JI"]);
/** The host commands (`^HV`, `~HS`, …) and the report on RFID encoding. */
const isAnswered = (name: string) => /^[\^~]H/.test(name) || name === "~RV";
/** A file for the printer's memory, and settings as JSON: neither is ZPL, and both may hold any of it. */
const NOT_ZPL = /! ?CISDF|\{\}\s{0,20}\{/i;
/** The beginning of a setting at the very end, which the next data would go on with. */
const SGD_BEGUN = /![ A-Z0-9]{0,12}$/i;

const CHANGES_PREFIX =
  "changes the caret, the tilde or the delimiter, and nobody could read what comes after it: send it with ^ ~ and ,";

export function zplHazards(
  text: string,
  commands: readonly ZplCommand[],
  settings: readonly SgdLine[],
  isCut: boolean,
): ZplHazards {
  const answered = commands.find(({ name }) => isAnswered(name))?.name;
  const asking = settings.find(({ verb }) => verb !== "setvar");
  const answers = answered ?? (asking && `! U1 ${asking.verb}`);
  return {
    state:
      first(commands, commandHazard) ??
      first(settings, settingHazard) ??
      (NOT_ZPL.test(text)
        ? "holds a file or JSON settings for the printer, which cannot be judged"
        : undefined) ??
      (isCut || SGD_BEGUN.test(text.slice(-20)) ? "ends in the middle of a command" : undefined),
    answers:
      answers &&
      `has ${answers}, which makes the printer answer: ask for its status, and tags are read back anyway`,
  };
}

function first<T>(items: readonly T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = judge(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function commandHazard({ name, parameters, delimiter }: ZplCommand): string | undefined {
  const prefix = DEFAULT_PREFIXES[name];
  if (prefix !== undefined && parameters !== prefix) return CHANGES_PREFIX;
  if (BASIC.has(name)) return `has ${name}, which starts a program in the printer`;
  if (name === "^FN" && Number.parseInt(parameters, 10) === Number(READ_BACK_FIELD))
    return `uses field ${READ_BACK_FIELD}, in which the bridge reads tags back`;
  if (name !== "^GF") return undefined;
  // Firmware differs in which of the two counts it goes by.
  const [kind = "", sent, shown] = parameters.slice(0, 200).split(delimiter);
  if (kind.trim().toUpperCase() !== "B" || Number(sent) === Number(shown)) return undefined;
  return "has binary graphics (^GFB) whose two counts of bytes differ";
}

function settingHazard({ verb, name, value, text, isWhole }: SgdLine): string | undefined {
  if (!isWhole) return "ends in the middle of a setting (! U1 …), which needs its line end";
  if (/[\^~]/.test(text)) return "has ^ or ~ in a setting (! U1 …), which cannot be judged";
  if (verb !== "setvar") return undefined;
  if (PREFIX_SETTINGS.has(name)) return CHANGES_PREFIX;
  if (name === "device.languages" && !value.includes("zpl"))
    return "makes the printer speak another language";
  return undefined;
}
