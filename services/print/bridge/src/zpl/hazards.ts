import { BINARY, MAX_HEAD, type ZplCommand } from "./scanner.ts";
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
/**
 * What a job may set or do by Set-Get-Do: what concerns its labels. Everything else (resets, defaults, network, lines, power,
 * counters, files, names) is for everybody who prints here, and firmware takes much of it by `setvar` and by `do` alike.
 */
const OF_LABELS: Readonly<Record<string, RegExp>> = {
  // Without `ezpl.reprint_mode`, as `^JZ`.
  setvar:
    /^(?:ezpl\.(?!reprint_mode$).+|(?:media|print|rfid)\..+|zpl\.(?:label_length|label_length_always|left_position|print_mode|print_orientation|print_width))$/,
  do: /^(?:rfid\..+|zpl\.calibrate)$/,
};
/** Begins the printer's own BASIC, which can do and say anything. */
const BASIC = new Set(["^JI", "~JI"]);
interface SharedHazard {
  readonly what: string;
  readonly when?: (parameters: string) => boolean;
}

/** The network's and the radio's settings. `^WD`, `^WF`, `^WT` and `^WV` are none. */
const NETWORK = "^NB ^NC ^ND ^NI ^NN ^NP ^NS ^NT ^NW ^WA ^WE ^WI ^WL ^WP ^WR ^WS ^WX ~NC ~NR ~NT".split(" ");

/**
 * What stops, resets, locks or hides the printer, or throws away what others have sent or stored, for everybody who prints
 * on it. `^JUS`, which saves what is set, is in the header that design programs write.
 */
const FOR_EVERYBODY: Readonly<Record<string, SharedHazard>> = {
  "~PP": { what: "pauses the printer until somebody presses a key" },
  "^PP": { what: "pauses the printer until somebody presses a key" },
  "~JP": { what: "pauses the printer and throws away what it prints" },
  "~JA": { what: "throws away what others have sent" },
  "~JX": { what: "throws away what others have sent" },
  "~JR": { what: "resets the printer" },
  "~JD": { what: "makes the printer print what it is sent instead of labels" },
  "^JB": { what: "erases the printer's memory" },
  "~JB": { what: "erases the printer's memory" },
  "^EF": { what: "erases what others have stored" },
  "^EG": { what: "erases what others have stored" },
  "~EG": { what: "erases what others have stored" },
  // Design programs delete what they have sent to the memory (R:), by wildcards too.
  "^ID": {
    what: "erases what others have stored",
    when: (word) => /^\s*[^R\s]:/i.test(word) && /[*?]/.test(word),
  },
  "^CM": { what: "gives the printer's drives other letters" },
  ...Object.fromEntries(NETWORK.map((name) => [name, { what: "changes how the printer is reached" }])),
  "^SC": { what: "changes how the printer is reached" },
  "^SX": { what: "makes the printer send messages" },
  "^SQ": { what: "stops the printer's messages" },
  "^JJ": { what: "makes the printer wait for the signals of an applicator or a verifier" },
  "^ZZ": { what: "sends the printer to sleep" },
  "~KB": { what: "empties the printer's battery" },
  "^MP": { what: "locks the printer's keys" },
  "^JU": { what: "sets the printer back to what the factory set", when: (word) => /^\s*[FN]/i.test(word) },
  "^SZ": { what: "makes the printer speak another language", when: (word) => !/^\s*2?\s*$/.test(word) },
  // Labels are counted by what a printer reprints.
  "^JZ": {
    what: "turns off that a label is printed again which trouble cut off",
    when: (word) => !/^\s*Y?\s*$/i.test(word),
  },
  "^KP": { what: "locks the printer with a password" },
};

/** The host commands (`^HV`, `~HS`, …) and the report on RFID encoding. */
const isAnswered = (name: string) => name[1] === "H" || name === "~RV";
/** What a PNG looks like in `~DY`: hexadecimal, or base64 with its kind before and its checksum after it. */
const PICTURE = /^(?:[0-9A-Fa-f\s]+|\s?:[BZ]64:[\w+/=\s]+:[0-9A-Fa-f]{4}\s*)$/;
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
  return dataHazard(name, parameters, delimiter);
}

/** Where a printer may take other bytes for data than the scanner does, it may find commands that nobody has judged. */
function dataHazard(name: string, parameters: string, delimiter: string): string | undefined {
  const layout = BINARY[name];
  if (!layout) return undefined;
  const fields = parameters.slice(0, MAX_HEAD).split(delimiter);
  const isCut = parameters.length > MAX_HEAD && fields.length <= layout.kind + 1;
  const unjudged = `has ${name} without its data, or with fields that are too long to be judged`;
  if (isCut) return unjudged;
  const kind = fields[layout.kind]?.toUpperCase() ?? "";
  if (kind === "" || kind === "A") return undefined;
  if (name === "~DY" && kind === "P") return pictureHazard(parameters, fields, delimiter);
  if (kind.length > 1 || !layout.kinds.includes(kind))
    return `has ${name} with data of another kind than A or ${[...layout.kinds].join(", ")}`;
  if (fields.length <= layout.fields) return unjudged;
  // Of graphics firmware differs in which count it goes by; compressed bytes (C) are fewer than what they show.
  const counts = name === "^GF" ? fields.slice(1, layout.fields) : [fields[layout.count] ?? ""];
  const agree = name !== "^GF" || kind === "C" || counts[0] === counts[1];
  if (agree && counts.every((count) => /^\d{1,9}$/.test(count))) return undefined;
  return `has binary data (${name}) whose counts of bytes differ, or are no numbers`;
}

/**
 * A PNG is hexadecimal or ZB64 text, which ends at the next command. Firmware that goes by the count all the same must
 * come to its end within the text.
 */
function pictureHazard(parameters: string, fields: readonly string[], delimiter: string): string | undefined {
  const { fields: before, count } = BINARY["~DY"] as (typeof BINARY)[string];
  const data = parameters.slice(fields.slice(0, before).join(delimiter).length + 1);
  const bytes = fields[count] ?? "";
  if (fields.length > before && /^\d{1,9}$/.test(bytes) && PICTURE.test(data) && data.length >= Number(bytes))
    return undefined;
  return "has a picture (~DY, P) that is not hexadecimal or ZB64 text of at least as many characters as it counts: send its bytes as B";
}

function settingHazard({ verb, name, value, isWhole, holdsPrefix }: SgdCommand): string | undefined {
  if (name === undefined) return `has a setting (${verb}) whose name cannot be read`;
  if (!isWhole) return "ends in the middle of a setting (! U1 …), which needs its line end";
  if (holdsPrefix) return "has ^ or ~ in a setting (! U1 …), which cannot be judged";
  if (verb === "getvar" || OF_LABELS[verb]?.test(name)) return undefined;
  if (verb === "setvar" && name === "device.languages" && value.includes("zpl")) return undefined;
  return `has ! U1 ${verb} "${name.slice(0, 60)}", which is no matter of labels and concerns everybody who prints here: do it once, at the printer`;
}
