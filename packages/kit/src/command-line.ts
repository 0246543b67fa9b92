import { parseArgs } from "node:util";
import { DomainError } from "./domain-error.ts";
import { StartProblem } from "./problem.ts";

/** One row of what a command lists: names for `--json`, values in their order for people. */
export type Row = Readonly<
  Record<string, string | number | boolean | null | undefined | ReadonlyArray<string | number>>
>;

/**
 * What a command tells: a line, or rows that are JSON with `--json`, a table at a terminal and tab-separated
 * elsewhere.
 */
export type Told = string | readonly Row[] | undefined;

/** What a command tells where it could not do what was asked: printed like anything else, with exit code 1. */
export class NotDone extends Error {
  override name = "NotDone";
  readonly told: Told;

  constructor(told: Told) {
    super("the command could not do what was asked");
    this.told = told;
  }
}

export type Options = Readonly<Record<string, string | undefined>>;

export interface Command<Tools> {
  readonly words: readonly string[];
  readonly options: readonly string[];
  /** Options without a value: given or not. */
  readonly flags: readonly string[];
  readonly usage: string;
  readonly about: string;
  /** `flags` are those that were given, `json` among them. */
  readonly run: (
    tools: Tools,
    words: readonly string[],
    options: Options,
    flags: ReadonlySet<string>,
  ) => Promise<Told>;
}

/** By name; a name is one word or two. */
export type Commands<Tools> = Readonly<Record<string, Command<Tools>>>;

const JSON_OPTION = "json";
const HELP_OPTION = "help";
const HELP = new Set(["", "help", "--help", "-h"]);

/**
 * `usage` names words as `<word>`, options as `--option <value>` and flags as `--flag`, in brackets when it can be
 * left out.
 */
export function command<Tools>(usage: string, about: string, run: Command<Tools>["run"]): Command<Tools> {
  const named = [...usage.matchAll(/--([a-z-]+)( <)?/g)];
  const options = named.flatMap(([, name = "", value]) => (value ? [name] : []));
  const flags = named.flatMap(([, name = "", value]) => (value ? [] : [name]));
  const words = [...usage.replace(/\[?--[a-z-]+ <[^>]+>\]?/g, "").matchAll(/<([^>]+)>/g)].map(
    (match) => match[1] as string,
  );
  return { words, options, flags, usage, about, run };
}

export interface CommandLine<Tools> {
  /** What people type before a command: `npx frontdesk presence`. */
  readonly program: string;
  readonly commands: Commands<Tools>;
  /** Opens what commands need, and closes it when the work has ended. */
  readonly withTools: <T>(work: (tools: Tools) => Promise<T>) => Promise<T>;
  /** Whether an error of the service's own is a refusal, told by its message. */
  readonly isRefusal?: (error: unknown) => boolean;
  /** Whether a person reads what is printed. */
  readonly isTerminal?: boolean;
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
        ...Object.fromEntries(found.flags.map((flag) => [flag, { type: "boolean" as const }])),
        [JSON_OPTION]: { type: "boolean" as const },
        [HELP_OPTION]: { type: "boolean" as const, short: "h" },
      },
      allowPositionals: true,
    });
    const usage = `Usage: ${program} ${`${name} ${found.usage}`.trim()}`;
    if (values[HELP_OPTION]) {
      print(`${usage}\n${found.about}`);
      return 0;
    }
    if (positionals.length !== found.words.length) throw new StartProblem(usage);
    const entries: Array<[name: string, value: unknown]> = Object.entries(values);
    const flags = new Set(entries.flatMap(([option, value]) => (value === true ? [option] : [])));
    const own = Object.fromEntries(
      entries.flatMap(([option, value]) => (typeof value === "string" ? [[option, value] as const] : [])),
    );
    const isTable = options.isTerminal ?? (options.print === undefined && process.stdout.isTTY === true);
    const tell = (told: Told) => {
      for (const line of linesOf(told, flags.has(JSON_OPTION), isTable)) print(line);
    };
    try {
      tell(await options.withTools((tools) => found.run(tools, positionals, own, flags)));
      return 0;
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      tell(error.told);
      return 1;
    }
  } catch (error) {
    if (!isExpected(error) && !options.isRefusal?.(error)) throw error;
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

/** Rows as JSON, as a table with a head, or as values between tabs; a line as it is. */
export function linesOf(told: Told, asJson = false, isTable = false): string[] {
  if (told === undefined || told === "") return [];
  if (asJson) return [JSON.stringify(told, null, 2)];
  if (typeof told === "string") return [told];
  return isTable && told.length > 0
    ? tableOf(told)
    : told.map((row) => Object.values(row).map(shown).join("\t"));
}

function tableOf(rows: readonly Row[]): string[] {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => shown(row[column]) || "-"))];
  const widths = columns.map((_, at) =>
    cells.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), 0),
  );
  return cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const shown = (value: Row[string]): string =>
  visible(
    value === null || value === undefined ? "-" : Array.isArray(value) ? value.join(",") : String(value),
  );

/** What would drive a terminal, begin a row of its own or turn others around is shown by its number. */
const visible = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function isExpected(error: unknown): boolean {
  if (error instanceof DomainError || error instanceof StartProblem) return true;
  return String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS");
}
