import type { ZplCommand } from "./scanner.ts";
import type { SgdCommand } from "./sgd.ts";

/** Why a printer must not be given a job's data; nothing where it may. */
export interface ZplHazards {
  /** It would leave the printer in another state than it was found in, or cannot be judged. */
  readonly state: string | undefined;
  /**
   * It makes the printer answer. What it answers cannot be told from what the bridge asked, and a page chooses
   * its words: so it could call its own jobs, and those of others, done.
   */
  readonly answers: string | undefined;
  /** It has control characters that ZPL takes for commands. In other languages they may be a picture's. */
  readonly controls: string | undefined;
  /** It has a utility command of CPCL, which outlasts the job: CPCL's own, and nobody else's. */
  readonly utility: string | undefined;
}

/** The field in which the bridge has a tag read back. */
export const READ_BACK_FIELD = "9001";

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
/**
 * What stops, resets or locks the printer, or throws other jobs away, for everybody who prints on it. `^JUS`, which saves
 * what is set, is in the header that design programs write.
 */
const FOR_EVERYBODY: Readonly<Record<string, { what: string; when?: (parameters: string) => boolean }>> = {
  "~PP": { what: "pauses the printer until somebody presses a key" },
  "^PP": { what: "pauses the printer until somebody presses a key" },
  "~JA": { what: "throws away what others have sent" },
  "~JX": { what: "throws away what others have sent" },
  "~JR": { what: "resets the printer" },
  "^JU": { what: "sets the printer back to what the factory set", when: (word) => /^\s*[FN]/i.test(word) },
  "^SZ": { what: "makes the printer speak another language", when: (word) => !/^\s*2?\s*$/.test(word) },
  "^KP": { what: "locks the printer with a password" },
};

/** The host commands (`^HV`, `~HS`, …) and the report on RFID encoding. */
const isAnswered = (name: string) => /^[\^~]H/.test(name) || name === "~RV";
/** A file for the printer's memory, and settings as JSON: neither is ZPL, and both may hold any of it. */
const NOT_ZPL = /!\s{0,20}CISDF|\{\}\s{0,20}\{/i;

const CHANGES_PREFIX =
  "changes the caret, the tilde or the delimiter, and nobody could read what comes after it: send it with ^ ~ and ,";

/** Hears of each command of a job as it is read, and keeps the first that is dangerous. */
export function createHazardJudge() {
  let state: string | undefined;
  let answered: string | undefined;
  let utility: string | undefined;
  return {
    command(command: ZplCommand): void {
      state ??= commandHazard(command);
      if (isAnswered(command.name)) answered ??= command.name;
    },
    setting(command: SgdCommand): void {
      state ??= settingHazard(command);
      if (command.verb !== "setvar") answered ??= `! U1 ${command.verb}`;
    },
    utility(word: string): void {
      utility ??= word.toUpperCase();
    },
    /** `seam` is how the data's end and its beginning meet where it is printed more than once. */
    verdict(
      text: string,
      seam: string,
      { isCut, hasControls }: { isCut: boolean; hasControls: boolean },
    ): ZplHazards {
      if (NOT_ZPL.test(text) || NOT_ZPL.test(seam))
        state ??= "holds a file or JSON settings for the printer, which cannot be judged";
      if (isCut) state ??= "ends in the middle of a command";
      return {
        state,
        controls: hasControls
          ? "has control characters (STX, ETX, SI, DLE, RS, US), which a printer takes for commands: write them as ^ ~ and , or in a field by ^FH"
          : undefined,
        utility:
          utility &&
          `has ! U1 ${utility}, a setting of CPCL that outlasts the job: set it once, at the printer`,
        answers:
          answered &&
          `has ${answered}, which makes the printer answer: ask for its status, and tags are read back anyway`,
      };
    },
  };
}

function commandHazard({ name, parameters, delimiter }: ZplCommand): string | undefined {
  const prefix = DEFAULT_PREFIXES[name];
  if (prefix !== undefined && parameters !== prefix) return CHANGES_PREFIX;
  const shared = FOR_EVERYBODY[name];
  if (shared && (shared.when?.(parameters) ?? true)) return `has ${name}, which ${shared.what}`;
  if (BASIC.has(name)) return `has ${name}, which starts a program in the printer`;
  if (name === "^FN" && Number.parseInt(parameters, 10) === Number(READ_BACK_FIELD))
    return `uses field ${READ_BACK_FIELD}, in which the bridge reads tags back`;
  if (name !== "^GF") return undefined;
  const [kind = "", sent = "", shown = ""] = parameters.slice(0, 200).split(delimiter);
  if (!["B", "C"].includes(kind.trim().toUpperCase())) return undefined;
  // Compressed bytes (C) are fewer than what they show; otherwise firmware differs in which of the counts it goes by.
  const agree = kind.trim().toUpperCase() === "C" || sent === shown;
  if (agree && [sent, shown].every((count) => /^\d{1,9}$/.test(count))) return undefined;
  return "has binary graphics (^GF) whose two counts of bytes differ, or are no numbers";
}

function settingHazard({ verb, name, value, isWhole, holdsPrefix }: SgdCommand): string | undefined {
  if (name === undefined) return `has a setting (${verb}) whose name cannot be read`;
  if (!isWhole) return "ends in the middle of a setting (! U1 …), which needs its line end";
  if (holdsPrefix) return "has ^ or ~ in a setting (! U1 …), which cannot be judged";
  if (verb !== "setvar") return undefined;
  if (PREFIX_SETTINGS.has(name)) return CHANGES_PREFIX;
  if (name === "device.languages" && !value.includes("zpl"))
    return "makes the printer speak another language";
  return undefined;
}
