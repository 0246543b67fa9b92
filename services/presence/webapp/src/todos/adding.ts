import { newUlid } from "./new-ulid.ts";
import type { NewTodo } from "./parse-todos.ts";

export const MAX_TEXT = 2_000;
/** As many as the server takes in one request. */
const MAX_AT_ONCE = 100;

/** A line as it was typed. Its id goes along with every attempt: one whose answer was lost on the way is not made again. */
export interface Line {
  readonly id: string;
  readonly text: string;
}

export const linesOf = (texts: readonly string[]): readonly Line[] =>
  texts.map((text) => ({ id: newUlid(), text }));

export interface Added {
  readonly count: number;
  /** Those that were not added. */
  readonly left: readonly Line[];
  /** Why not; undefined where the text of those is too long, and for nothing else. */
  readonly failure: unknown;
}

/**
 * Adds lines, as many at once as the server takes. Where it fails, what was not answered is left, and nothing that was.
 * How a line is parsed may have to be waited for: a project that it names may not be known yet.
 */
export async function addLines(
  lines: readonly Line[],
  parser: () => Promise<(text: string) => NewTodo>,
  send: (items: Array<NewTodo & { id: string }>) => Promise<unknown>,
): Promise<Added> {
  let parse: (text: string) => NewTodo;
  try {
    parse = await parser();
  } catch (failure) {
    return { count: 0, left: lines, failure };
  }
  // One that is too long would take the others of its request along.
  const tooLong = lines.filter(({ text }) => isTooLong(parse(text)));
  const rest = lines.filter((line) => !tooLong.includes(line));
  for (let from = 0; from < rest.length; from += MAX_AT_ONCE) {
    try {
      await send(rest.slice(from, from + MAX_AT_ONCE).map(({ id, text }) => ({ id, ...parse(text) })));
    } catch (failure) {
      return { count: from, left: [...tooLong, ...rest.slice(from)], failure };
    }
  }
  return { count: rest.length, left: tooLong, failure: undefined };
}

const isTooLong = ({ text }: NewTodo): boolean => [...text].length > MAX_TEXT;
