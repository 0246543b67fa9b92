/**
 * One ZPL command. Its name always begins with `^` or `~`, whatever characters the data has put in their
 * place (`^CC`, `^CT`). Text is latin1 throughout, so that every byte survives.
 */
export interface ZplCommand {
  readonly name: string;
  readonly parameters: string;
  /** What stands between parameters: a comma, unless the data has changed it (`^CD`). */
  readonly delimiter: string;
  /** Where it begins, where its parameters begin, and where it ends, counted from the first character. */
  readonly start: number;
  readonly parametersAt: number;
  readonly end: number;
}

export interface ZplScanner {
  /** Takes the next piece, of any size. Each character is looked at once. */
  push(piece: string): void;
  /**
   * Nothing more comes: tells of a command whose end is the end of the data. Answers whether the data ends in the
   * middle of one, so that a printer would take what comes next for the rest of it.
   */
  finish(): {
    readonly isCut: boolean;
    /**
     * Whether a control character stands outside of counted data that a printer takes for a command or a part of one.
     * DLE `CT~`, by which ZebraDesigner makes sure of the tilde, is none.
     */
    readonly hasControls: boolean;
  };
}

export interface ZplListener {
  readonly command: (command: ZplCommand) => void;
  /** A Set-Get-Do line (`! U1 getvar "…"`), without its line end. */
  readonly sgd?: (line: string) => void;
}

/** Commands without parameters: they act as soon as their name is read. */
const WITHOUT_PARAMETERS = new Set(
  "^XA ^XZ ^FS ~HS ~HI ~HM ~PS ~PP ~JA ~JX ~JR ~HQES ~HQOD ~HQHA ~HQMA ~HQPH ~HQPP ~HQSN ~HQUI".split(" "),
);
/** Commands that give a new meaning to the one character after their name. */
const CHANGES: Readonly<Record<string, "caret" | "tilde" | "delimiter">> = {
  "^CC": "caret",
  "~CC": "caret",
  "^CT": "tilde",
  "~CT": "tilde",
  "^CD": "delimiter",
  "~CD": "delimiter",
};
/**
 * Commands whose data may hold any byte: how many fields stand before it, which of them tells the kind of data, and which
 * of them counts it. Data of the kind A, of P (~DY) and of none is text: there the printer reads commands as anywhere.
 */
export const BINARY: Readonly<
  Record<string, { fields: number; kind: number; kinds: string; count: number }>
> = {
  "^GF": { fields: 4, kind: 0, kinds: "BC", count: 1 },
  "~DY": { fields: 5, kind: 1, kinds: "B", count: 3 },
};
/** How the scanner goes on after a name; after any other come parameters up to the next command. */
const AFTER_NAME: ReadonlyMap<string, "end" | "change" | "head"> = new Map([
  ...Array.from(WITHOUT_PARAMETERS, (name) => [name, "end"] as const),
  ...Object.keys(CHANGES).map((name) => [name, "change"] as const),
  ...Object.keys(BINARY).map((name) => [name, "head"] as const),
]);
/**
 * Names of a prefix and two ASCII characters, by their codes: one text for each, made once, which is found in a table
 * several times faster than one that was just cut out of the data.
 */
const names = new Map<number, string>();
function nameOf(prefix: string, first: number, second: number): string {
  const place = (prefix.charCodeAt(0) << 16) | (first << 8) | second;
  let name = names.get(place);
  if (name === undefined) {
    name = prefix + String.fromCharCode(first, second).toUpperCase();
    names.set(place, name);
  }
  return name;
}
/** So much of one command is kept; the rest is passed over. */
const MAX_PARAMETERS = 16 * 1024 * 1024;
/** So long the fields before binary data may be. */
export const MAX_HEAD = 200;
const BANG = 0x21;
/** ZPL's second spelling: RS for the caret and DLE for the tilde, whatever `^CC` and `^CT` have set. */
const CARET_CONTROL = 0x1e;
const TILDE_CONTROL = 0x10;
/** The rest of it: STX for `^XA`, ETX for `^XZ`, SI for `^FS`, US for the comma. The one for the tilde is judged by its command. */
const CONTROLS = new Set([0x02, 0x03, 0x0f, 0x1f, CARET_CONTROL]);
/** The characters that can begin a command where nothing has changed them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: printers speak in control characters
export const COMMAND_PREFIX = /[\^~\x10\x1e]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: printers speak in control characters
const PREFIX_OR_CONTROL = /[\^~\x02\x03\x0f\x10\x1e\x1f]/g;
const PREFIX = new RegExp(COMMAND_PREFIX, "g");
const CARET = 0x5e;
const TILDE = 0x7e;
const MAX_ASCII = 0x7f;

/** Cuts ZPL into commands as it comes, in one pass. */
export function createZplScanner(listener: ZplListener): ZplScanner {
  const prefix = { caret: CARET, tilde: TILDE, delimiter: 0x2c };
  let state: "outside" | "sgd" | "name" | "parameters" | "head" | "binary" | "change" = "outside";
  let name = "";
  let start = 0;
  let parametersAt = 0;
  let parts: string[] = [];
  let kept = 0;
  /** The fields before binary data, as far as they were read. */
  let head = "";
  let remaining = 0;
  let offset = 0;
  let hasControls = false;
  /** Whether the command that is being read begins with a DLE. */
  let isByControl = false;

  /** Each character outside of counted data comes by here. */
  function isPrefix(code: number): boolean {
    if (code < 0x20 && CONTROLS.has(code)) hasControls = true;
    return code === prefix.caret || code === prefix.tilde || code === CARET_CONTROL || code === TILDE_CONTROL;
  }

  function keep(text: string): void {
    kept += text.length;
    if (kept <= MAX_PARAMETERS) parts.push(text);
  }

  function begin(code: number, at: number): void {
    hasControls ||= isByControl;
    isByControl = code === TILDE_CONTROL;
    state = "name";
    name = code === prefix.caret || code === CARET_CONTROL ? "^" : "~";
    start = at;
    parts = [];
    kept = 0;
    head = "";
  }

  function emit(end: number): void {
    const parameters = parts.length === 1 ? (parts[0] as string) : parts.join("");
    parts = [];
    state = "outside";
    const delimiter = String.fromCharCode(prefix.delimiter);
    hasControls ||= isByControl && !(name === "~CT" && parameters === "~");
    isByControl = false;
    listener.command({ name, parameters, delimiter, start, parametersAt, end });
  }

  /** The next caret or tilde from a place on, or the piece's end. */
  function nextPrefix(piece: string, from: number): number {
    let at = from;
    if (prefix.caret === CARET && prefix.tilde === TILDE) {
      if (!hasControls) {
        at = search(PREFIX_OR_CONTROL, piece, at);
        if (at === piece.length || isPrefix(piece.charCodeAt(at))) return at;
      }
      return search(PREFIX, piece, at);
    }
    while (at < piece.length && !isPrefix(piece.charCodeAt(at))) at++;
    return at;
  }

  function outside(piece: string, from: number): number {
    if (!listener.sgd) {
      const at = nextPrefix(piece, from);
      if (at < piece.length) begin(piece.charCodeAt(at), offset + at);
      return at + 1;
    }
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (isPrefix(code)) {
        begin(code, offset + at);
        return at + 1;
      }
      if (code === BANG) {
        state = "sgd";
        parts = [];
        kept = 0;
        return at;
      }
    }
    return piece.length;
  }

  function sgd(piece: string, from: number): number {
    const end = piece.indexOf("\n", from);
    keep(piece.slice(from, end < 0 ? piece.length : end));
    if (end < 0) return piece.length;
    state = "outside";
    listener.sgd?.(parts.join("").trim());
    parts = [];
    return end + 1;
  }

  function readName(piece: string, from: number): number {
    const code = piece.charCodeAt(from);
    // A prefix in the middle of a name begins another command.
    if (isPrefix(code)) {
      begin(code, offset + from);
      return from + 1;
    }
    const next = piece.charCodeAt(from + 1);
    // Two letters at once where they are there, as they nearly always are.
    if (name.length === 1 && code <= MAX_ASCII && next <= MAX_ASCII && !isPrefix(next)) {
      name = nameOf(name, code, next);
      from++;
    } else name += String.fromCharCode(code).toUpperCase();
    if (name.length < (name.startsWith("~HQ") ? 5 : 3)) return from + 1;
    parametersAt = offset + from + 1;
    const after = AFTER_NAME.get(name);
    if (after === "end") emit(parametersAt);
    else state = after ?? "parameters";
    return from + 1;
  }

  function change(piece: string, from: number): number {
    const which = CHANGES[name] as keyof typeof prefix;
    keep(piece.charAt(from));
    const code = piece.charCodeAt(from);
    emit(offset + from + 1);
    prefix[which] = code;
    return from + 1;
  }

  function parameters(piece: string, from: number): number {
    const end = nextPrefix(piece, from);
    if (end > from) keep(piece.slice(from, end));
    if (end < piece.length) emit(offset + end);
    return end;
  }

  /** Field by field, until it is known whether binary data follows, and how much of it. */
  function readHead(piece: string, from: number): number {
    const code = piece.charCodeAt(from);
    if (isPrefix(code)) {
      keep(head);
      emit(offset + from);
      return from;
    }
    head += piece.charAt(from);
    const { fields, kind, kinds, count } = BINARY[name] as (typeof BINARY)[string];
    const read = code === prefix.delimiter ? head.split(String.fromCharCode(prefix.delimiter)) : undefined;
    const isText = head.length > MAX_HEAD || (read && read.length - 1 > kind && !isOneOf(kinds, read[kind]));
    if (read && read.length - 1 === fields && !isText) {
      remaining = Number.parseInt(read[count] ?? "", 10) || 0;
      state = remaining > 0 ? "binary" : "parameters";
      keep(head);
    } else if (isText) {
      state = "parameters";
      keep(head);
    }
    return from + 1;
  }

  function binary(piece: string, from: number): number {
    const end = Math.min(piece.length, from + remaining);
    keep(piece.slice(from, end));
    remaining -= end - from;
    if (remaining === 0) state = "parameters";
    return end;
  }

  const STEPS = { outside, sgd, name: readName, parameters, head: readHead, binary, change };

  return {
    push(piece) {
      for (let at = 0; at < piece.length; ) at = STEPS[state](piece, at);
      offset += piece.length;
    },
    finish() {
      const isCut = state !== "outside" && state !== "parameters";
      if (state === "head") keep(head);
      if (state === "parameters" || state === "head" || state === "binary") emit(offset);
      state = "outside";
      return { isCut, hasControls: hasControls || isByControl };
    },
  };
}

/** Where a pattern first fits from a place on, or the piece's end. */
function search(pattern: RegExp, piece: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(piece) ? pattern.lastIndex - 1 : piece.length;
}

const isOneOf = (letters: string, text: string | undefined) =>
  text !== undefined && text.length === 1 && letters.includes(text.toUpperCase());

/** The commands of ZPL that is all there, and how it ends. */
export function scanZpl(
  text: string,
): { readonly commands: ZplCommand[] } & ReturnType<ZplScanner["finish"]> {
  const commands: ZplCommand[] = [];
  const scanner = createZplScanner({ command: (command) => commands.push(command) });
  scanner.push(text);
  return { commands, ...scanner.finish() };
}

export const zplCommands = (text: string): ZplCommand[] => scanZpl(text).commands;

/** Field data with what field hex (`^FH`) says in it. */
export function readFieldHex(text: string, indicator: string | undefined): string {
  if (indicator === undefined) return text;
  let read = "";
  for (let at = 0; at < text.length; at++) {
    const digits = text[at] === indicator ? text.slice(at + 1, at + 3) : "";
    if (/^[0-9A-Fa-f]{2}$/.test(digits)) {
      read += String.fromCharCode(Number.parseInt(digits, 16));
      at += 2;
    } else read += text[at];
  }
  return read;
}
