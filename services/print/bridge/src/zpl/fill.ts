import { encodeText, UTF8_CHARSET } from "./charset.ts";
import { type ZplCommand, zplCommands } from "./scanner.ts";

/** What is done with each piece of a template: the fixed text and the values of its placeholders. */
export interface Fill {
  readonly value: (number: number) => string;
  /** A text that the template's character set cannot say. */
  readonly unprintable: (text: string, isValue: boolean) => never;
}

const PLACEHOLDER = /\{\{(\d{1,4})\}\}/;
const isFieldData = (name: string) => name === "^FD" || name === "^FV";

/**
 * Fills a ZPL template. Values are written in field hex (`^FH`), which can say any byte; where a field has no
 * `^FH` one is added, and what the template itself has there is written in hex too, so that it stays what it
 * was. Text is sent in the character set that the template chooses (`^CI`); a template that chooses none and
 * has text beyond ASCII gets UTF-8.
 */
export function fillZpl(body: string, fill: Fill): Uint8Array {
  // In latin1 each byte of UTF-8 is one character, and no command is found in the middle of a letter.
  const text = Buffer.from(body, "utf8").toString("latin1");
  const commands = zplCommands(text);
  const choosesCharset = commands.some(({ name }) => name === "^CI");
  const isAscii = commands.every(
    (command) => !isFieldData(command.name) || isAsciiField(command.parameters, fill),
  );
  const addsCharset = !choosesCharset && !isAscii;
  const pieces: Uint8Array[] = [];
  const state: FieldState = { indicator: undefined, escaped: undefined, charset: UTF8_CHARSET };
  let at = 0;
  const copy = (to: number) => {
    if (to > at) pieces.push(fixedText(text.slice(at, to), state.charset, fill));
    at = to;
  };
  for (const command of commands) {
    const { name, start, end } = command;
    if (name === "^XA" && addsCharset) {
      copy(end);
      pieces.push(Buffer.from(`^CI${UTF8_CHARSET}`));
    }
    if (isFieldData(name) && PLACEHOLDER.test(command.parameters)) {
      copy(start);
      if (state.indicator === undefined) pieces.push(Buffer.from("^FH_"));
      pieces.push(Buffer.from(name), filledField(command.parameters, state, fill));
      at = end;
    }
    follow(state, command, () => copy(end));
  }
  copy(text.length);
  return Buffer.concat(pieces);
}

interface FieldState {
  /** What begins a byte in hexadecimal in the current field, where there is such a thing. */
  indicator: string | undefined;
  /** What begins a command of the current field's bar code itself, and how it is written to mean itself. */
  escaped: readonly [character: string, written: string] | undefined;
  charset: string;
}

const BAR_CODE_ESCAPES = {
  /** Code 128 has commands where no mode is chosen. */
  "^BC": ([, , , , , mode = ""]) => (/^[UAD]/i.test(mode) ? undefined : [">", ">0"]),
  /** Data Matrix has them in its quality 200; by which character, where none is given, differs by firmware. */
  "^BX": ([, , quality = "", , , , given = ""]) => {
    const character = given.trim().charAt(0);
    return quality.trim() === "200" && character ? [character, character.repeat(2)] : undefined;
  },
} satisfies Record<string, (fields: readonly string[]) => FieldState["escaped"]>;

function follow(state: FieldState, { name, parameters }: ZplCommand, beforeChange: () => void): void {
  if (name === "^FS" || name === "^XA") {
    state.indicator = undefined;
    state.escaped = undefined;
  }
  if (name === "^FH") state.indicator = parameters.trim().charAt(0) || "_";
  if (name === "^BC" || name === "^BX")
    state.escaped = BAR_CODE_ESCAPES[name](parameters.slice(0, 100).split(","));
  if (name === "^CI") {
    beforeChange();
    state.charset = String(Number.parseInt(parameters, 10) || 0);
  }
}

function isAsciiField(parameters: string, fill: Fill): boolean {
  return parameters.split(PLACEHOLDER).every((part, index) => {
    const text = index % 2 === 0 ? part : fill.value(Number(part));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
    return /^[\x00-\x7f]*$/.test(text);
  });
}

/** What stands in the template, given in the bytes of UTF-8, in the bytes of the character set. */
function fixedText(latin: string, charset: string, fill: Fill): Uint8Array {
  const bytes = Buffer.from(latin, "latin1");
  if (charset === UTF8_CHARSET) return bytes;
  const text = bytes.toString("utf8");
  return encodeText(text, charset) ?? fill.unprintable(text, false);
}

function filledField(
  parameters: string,
  { indicator, escaped, charset }: FieldState,
  fill: Fill,
): Uint8Array {
  const hex = indicator ?? "_";
  const parts = parameters.split(PLACEHOLDER).map((part, index) => {
    if (index % 2 === 0)
      return fixedText(indicator === undefined ? part.replaceAll("_", "_5F") : part, charset, fill);
    const value = fill.value(Number(part));
    const bytes = encodeText(escaped ? value.split(escaped[0]).join(escaped[1]) : value, charset);
    return Buffer.from(fieldHex(bytes ?? fill.unprintable(value, true), hex), "latin1");
  });
  return Buffer.concat(parts);
}

function fieldHex(bytes: Uint8Array, indicator: string): string {
  let text = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    const safe = byte >= 0x20 && byte < 0x7f && !`^~${indicator}\\`.includes(character);
    text += safe ? character : `${indicator}${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}
