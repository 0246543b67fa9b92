import { parseArgs } from "node:util";
import { DomainError } from "./domain-error.ts";
import { StartProblem } from "./problem.ts";

/** One row of what a command lists: names for `--json`, values in their order for people. */
export type Row = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** What a command tells: a line, or rows that are JSON with `--json` and tab-separated without. */
export type Told = string | readonly Row[] | undefined;

export type Options = Readonly<Record<string, string | undefined>>;

export interface Command<Tools> {
  readonly words: readonly string[];
  readonly options: readonly string[];
  readonly usage: string;
  readonly about: string;
  readonly run: (tools: Tools, words: readonly string[], options: Options) => Promise<Told>;
}

/** By name; a name is one word or two. */
export type Commands<Tools> = Readonly<Record<string, Command<Tools>>>;

const JSON_OPTION = "json";
const HELP = new Set(["", "help", "--help", "-h"]);

/** `usage` names words as `<word>` and options as `--option <value>`, in brackets when it can be left out. */
export function command<Tools>(usage: string, about: string, run: Command<Tools>["run"]): Command<Tools> {
  const options = [...usage.matchAll(/--([a-z-]+)/g)].map((match) => match[1] as string);
  const words = [...usage.replace(/\[?--[a-z-]+ <[^>]+>\]?/g, "").matchAll(/<([^>]+)>/g)].map(
    (match) => match[1] as string,
  );
  return { words, options, usage, about, run };
}

export interface CommandLine<Tools> {
  /** What people type before a command: `npx frontdesk presence`. */
  readonly program: string;
  readonly commands: Commands<Tools>;
  /** Opens what commands need, and closes it when the work has ended. */
  readonly withTools: <T>(work: (tools: Tools) => Promise<T>) => Promise<T>;
  readonly print?: (line: string) => void;
  readonly complain?: (line: string) => void;
}

/**
 * Runs the command that the arguments name, and answers with the exit code: 0 when it is done, 1 when
 * it is refused, which is told in a sentence. Anything else that is thrown is a fault of ours.
 */
export async function runCommandLine<Tools>(
  options: CommandLine<Tools>,
  given: readonly string[],
): Promise<number> {
  const { program, commands, print = console.log, complain = console.error } = options;
  const length = Object.hasOwn(commands, given[0] ?? "") ? 1 : 2;
  const name = given.slice(0, length).join(" ");
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!found) {
    const isHelp = HELP.has(given[0] ?? "");
    if (!isHelp) complain(`"${name}" is not a command of ${program}.`);
    (isHelp ? print : complain)(usageOf(program, commands));
    return isHelp ? 0 : 1;
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...given.slice(length)],
      options: {
        ...Object.fromEntries(found.options.map((option) => [option, { type: "string" as const }])),
        [JSON_OPTION]: { type: "boolean" as const },
      },
      allowPositionals: true,
    });
    if (positionals.length !== found.words.length)
      throw new StartProblem(`Usage: ${program} ${`${name} ${found.usage}`.trim()}`);
    const { [JSON_OPTION]: asJson, ...own } = values;
    const told = await options.withTools((tools) => found.run(tools, positionals, own as Options));
    for (const line of linesOf(told, asJson === true)) print(line);
    return 0;
  } catch (error) {
    if (!isExpected(error)) throw error;
    complain((error as Error).message);
    return 1;
  }
}

export function usageOf<Tools>(program: string, commands: Commands<Tools>): string {
  const rows = Object.entries(commands).map(
    ([name, { usage, about }]) => `  ${`${name} ${usage}`.trim().padEnd(76)} ${about}`,
  );
  return [`${program} <command> [--json]`, "", ...rows].join("\n");
}

/** Rows as JSON, or as values between tabs; a line as it is. */
export function linesOf(told: Told, asJson = false): string[] {
  if (told === undefined || told === "") return [];
  if (asJson) return [JSON.stringify(told, null, 2)];
  if (typeof told === "string") return [told];
  return told.map((row) => Object.values(row).map(shown).join("\t"));
}

const shown = (value: Row[string]): string =>
  value === null ? "-" : Array.isArray(value) ? value.join(",") : String(value);

function isExpected(error: unknown): boolean {
  if (error instanceof DomainError || error instanceof StartProblem) return true;
  return String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS");
}
