import { refuse } from "./codes.ts";

/**
 * What no name, label or emoji has in it, for a class of a pattern: control characters, which end the line or steer a
 * terminal, marks that turn what stands beside them around, and halves of surrogate pairs.
 */
export const STEERING =
  "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\uD800-\\uDFFF";

const STEERS = new RegExp(`[${STEERING}]`, "u");
/** Unicode has letters that draw nothing (U+3164), and a pattern of Braille without dots (U+2800). */
const SEEN = /[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A name or label of one line, as it is kept. `what`: how the refusal calls it. */
export function shownLine(text: string, what: string, maxLength: number): string {
  const line = text.trim();
  if (!SEEN.test(line)) throw refuse("invalid", `${what} needs a character that can be seen.`);
  if (STEERS.test(line))
    throw refuse(
      "invalid",
      `${what} has one line, without control characters and marks that turn text around.`,
    );
  if ([...line].length > maxLength) throw refuse("invalid", `${what} has at most ${maxLength} characters.`);
  return line;
}

/** The same for what may be left out: without a character at all it is. */
export const shownLineOr = <Otherwise>(
  text: string,
  what: string,
  maxLength: number,
  otherwise: Otherwise,
): string | Otherwise => (text.trim() === "" ? otherwise : shownLine(text, what, maxLength));

/** Whether a line that was kept before it was looked at can be shown. */
export const isShownLine = (line: string): boolean => SEEN.test(line) && !STEERS.test(line);

/** A text of any number of lines. */
export function demandSeen(text: string, what: string): void {
  if (!SEEN.test(text)) throw refuse("invalid", `${what} needs a character that can be seen.`);
}
