import { isUnfit } from "../refusal.ts";
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

export interface Left {
  readonly line: Line;
  /** Why it was not added; undefined where its text is too long. */
  readonly failure: unknown;
}

export interface Added {
  readonly count: number;
  /** Those that were not added. */
  readonly left: readonly Left[];
}

/**
 * Adds lines, as many at once as the server takes. Where it fails, what was not answered is left, and nothing that was.
 * Where it refuses what some of them say, they are sent one by one: those that are refused again are left, and no others.
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
    return { count: 0, left: lines.map((line) => ({ line, failure })) };
  }
  const { tooLong = [], fitting = [] } = Object.groupBy(lines, ({ text }) =>
    isTooLong(parse(text)) ? "tooLong" : "fitting",
  );
  const left: Left[] = tooLong.map((line) => ({ line, failure: undefined }));
  const waiting: Line[][] = [];
  for (let from = 0; from < fitting.length; from += MAX_AT_ONCE)
    waiting.push(fitting.slice(from, from + MAX_AT_ONCE));
  for (let portion = waiting.shift(); portion; portion = waiting.shift()) {
    try {
      await send(portion.map(({ id, text }) => ({ id, ...parse(text) })));
    } catch (failure) {
      if (isUnfit(failure) && portion.length > 1) {
        waiting.unshift(...portion.map((line) => [line]));
        continue;
      }
      const lost = isUnfit(failure) ? portion : [...portion, ...waiting.splice(0).flat()];
      left.push(...lost.map((line) => ({ line, failure })));
    }
  }
  return { count: lines.length - left.length, left };
}

const isTooLong = ({ text }: NewTodo): boolean => [...text].length > MAX_TEXT;
