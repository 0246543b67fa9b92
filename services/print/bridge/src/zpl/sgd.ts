// biome-ignore-all lint/suspicious/noControlCharactersInRegex: printers pass over control characters

/** A Set-Get-Do command: `! U1 setvar "name" "value"`, or one of several between `! U` and `END`. */
export interface SgdCommand {
  readonly verb: string;
  /** Nothing where it cannot be read. */
  readonly name: string | undefined;
  readonly value: string;
  /** Whether its line end is there: without it the printer takes what comes next for the rest of it. */
  readonly isWhole: boolean;
  /** Whether its line holds ^ or ~: whether a printer takes them for ZPL cannot be told. */
  readonly holdsPrefix: boolean;
}

export interface SgdListener {
  readonly command: (command: SgdCommand) => void;
  /** For a CPCL utility command (`! U1 JOURNAL`), which is written like a setting and is none of Set-Get-Do. */
  readonly utility?: (word: string) => void;
  /** For each place that had to be looked at, whatever it turns out to be. */
  readonly look?: () => void;
}

/** After this, commands may follow at any place: firmware differs in where it stops to read them. */
const ANY_OPENING = /![\x00-\x20]*U/i;
/** Data that goes on with what the data before it, or the copy, may have opened. */
const GOES_ON = /^[\x00-\x20]*(?:U(?:1|TILITIES)?[\x00-\x20]+)?(?:setvar|getvar|do)[\x00-\x20]*"/i;
/** An opening, a command's verb, or the end of a block on a line of its own. */
const WORD =
  /![\x00-\x20]*(U(?:1|TILITIES)?)(?=[\x00-\x20]|$)|(?<![A-Za-z_.-])(setvar|getvar|do)(?=[\x00-\x20"]|$)|(?<=[\r\n][\x00-\x20]*)(END|PRINT)(?=[\x00-\x20]|$)/gi;
/** The beginning of an opening at the very end, which the next data would go on with. */
const OPENING_BEGUN = /^!(?: *|[\x00-\x20]*U(?:1|T[A-Z]*)?(?:[\x00-\x20]+[A-Z]*)?)$/i;
/** Commands of CPCL's utility sessions, from Zebra's CPCL Programming Guide (P1073699), and of its line print mode. */
const UTILITIES =
  /^(?:AUTO-PACE|BAR-SENSE|BAUD|BEEP|CAPTURE|CHAR-COUNT|CHECKSUM|CONTRAST|COUNTRY|DEL|DF|DIR|DISPLAY|DUMP|ENCODING|GAP-SENSE|GET-DATE|GET-TIME|JOURNAL|LABEL|LMARGIN|LT|MAX-LABEL-HEIGHT|NO-PACE|ON-FEED|ON-LOW-BATTERY|PACE|PAGE-WIDTH|POSTFEED|PREFEED|PW|RE-RUN|SET|SET-DATE|SET-TIME|SET-TOF|SETBOLD|SETFF|SETLF|SETLP|SETMAG|SETSP|SPEED|TIMEOUT|TONE|TYPE|VERSION)$/i;
const NEXT_WORD = /[A-Za-z][\w-]*/y;
const NO_GAP = /[^\x00-\x20]/g;
const CONTROL = /[\x00-\x1f]/;

/**
 * Tells of each Set-Get-Do command in a job's data, in one pass. Answers whether the data ends within a block
 * (`! U` … `END`) or an opening, so that a printer would take what comes next for more of it.
 */
export function readSgd(text: string, listener: SgdListener): { readonly isCut: boolean } {
  const first = GOES_ON.test(text) ? 0 : text.search(ANY_OPENING);
  if (first < 0) return { isCut: beginsOpening(text) };
  const line = createLineReader(text);
  let openedAt = 0;
  /** Where the last opening ended, until something has followed it. */
  let openingEnd: number | undefined = first;
  let isBlock = false;
  let isCut = false;
  const words = new RegExp(WORD);
  words.lastIndex = first;
  for (let found = words.exec(text); found; found = words.exec(text)) {
    listener.look?.();
    const [, opening, verb] = found;
    if (opening !== undefined) {
      isBlock = opening.length !== 2;
      openedAt = found.index;
      openingEnd = words.lastIndex;
      const utility = utilityAt(text, found.index, openingEnd, opening);
      if (utility !== undefined) {
        listener.utility?.(utility);
        isCut = isBlock;
      }
    } else if (verb === undefined) isCut = false;
    else {
      const follows = openingEnd !== undefined && next(text, openingEnd) === found.index;
      openingEnd = undefined;
      const name = quoted(text, words.lastIndex);
      const value = name && /set|do/i.test(verb) ? quoted(text, name.end) : undefined;
      // "do" is a word of labels too; it is a command by its place or by the quotation mark after it.
      const isWord = /do/i.test(verb) && !follows && text[next(text, words.lastIndex)] !== '"';
      words.lastIndex = value?.end ?? name?.end ?? words.lastIndex;
      if (isWord) continue;
      isCut = isBlock;
      // Whether a line end within quotation marks ends the command cannot be told.
      const isClear = name && !CONTROL.test(name.text) && !CONTROL.test(value?.text ?? "");
      listener.command({
        verb: verb.toLowerCase(),
        name: isClear ? name.text.trim().toLowerCase() : undefined,
        value: value?.text.toLowerCase() ?? "",
        ...line(found.index, openedAt, words.lastIndex),
      });
    }
  }
  return { isCut: isCut || beginsOpening(text) };
}

/** Whether a text holds a Set-Get-Do or utility command, or what would be one after an opening. */
export function holdsSgd(text: string): boolean {
  let holds = false;
  const found = () => {
    holds = true;
  };
  readSgd(text, { command: found, utility: found });
  return holds;
}

/**
 * The utility command that an opening is followed by. Prose has "! U" too: there, in the middle of a line, the
 * word has to be one that is known.
 */
function utilityAt(text: string, start: number, end: number, opening: string): string | undefined {
  NEXT_WORD.lastIndex = next(text, end);
  const word = NEXT_WORD.exec(text)?.[0];
  if (word === undefined || /^(?:setvar|getvar|do|end|print)$/i.test(word)) return undefined;
  const isLine = opening.length > 1 || start === 0 || /[\r\n]/.test(text[start - 1] as string);
  return isLine || UTILITIES.test(word) ? word.slice(0, 40) : undefined;
}

const beginsOpening = (text: string) => {
  const last = text.lastIndexOf("!");
  return last >= 0 && OPENING_BEGUN.test(text.slice(last));
};

/** The next place that is not passed over. */
function next(text: string, from: number): number {
  NO_GAP.lastIndex = from;
  return NO_GAP.exec(text)?.index ?? text.length;
}

function quoted(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  const start = next(text, from);
  const end = text[start] === '"' ? text.indexOf('"', start + 1) : -1;
  return end < 0 ? undefined : { text: text.slice(start + 1, end), end: end + 1 };
}

/** What is known of the line of each command, looked up once for each line. */
function createLineReader(text: string) {
  let lineEnd = -1;
  let holdsPrefix = false;
  return (start: number, openedAt: number, end: number) => {
    if (lineEnd < end) {
      const found = text.indexOf("\n", end);
      const lineStart = text.lastIndexOf("\n", start);
      lineEnd = found < 0 ? text.length : found;
      holdsPrefix = /[\^~]/.test(text.slice(openedAt > lineStart ? openedAt : start, lineEnd));
    }
    return { isWhole: lineEnd < text.length, holdsPrefix };
  };
}
