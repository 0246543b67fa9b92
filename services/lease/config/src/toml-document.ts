import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { isBeyondParsing } from "./toml-depth.ts";

/** A place in the text, both counted from one. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A value and where it stands. Tables and lists hold nodes again. */
export interface TomlNode {
  /** Where its key stands; its own place for what has none. */
  readonly keyPlace?: Place;
  readonly value: string | number | boolean | readonly TomlNode[] | ReadonlyMap<string, TomlNode> | Date;
  readonly place: Place;
}

export interface ConfigProblem extends Place {
  readonly message: string;
}

/** Everything that is wrong with a configuration. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(
      problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`).join("\n"),
    );
    this.problems = problems;
  }
}

type Tree = Map<string, TomlNode>;

/** Far more than a configuration has; what reads the values goes down a level of the stack for each. */
const MAX_DEPTH = 32;

/** Reads TOML into nodes that know their place. */
export function parseToml(text: string): TomlNode {
  // Editors on Windows put a byte order mark at the start of a file; it is not part of the text.
  const plain = text.replace(/^\ufeff/, "");
  refuseLostLetters(plain);
  return readProgram(parseProgram(plain));
}

/** The syntax of a text without a byte order mark. */
export function parseProgram(text: string): AST.TOMLProgram {
  if (isBeyondParsing(text)) throw tooDeep({ line: 1, column: 1 });
  try {
    return parseTOML(text, { tomlVersion: "1.0.0" });
  } catch (error) {
    // The parser hands all letters of a text or a number to one call, until there is no room on the stack.
    if (error instanceof RangeError) throw tooLong({ line: 1, column: 1 });
    if (!(error instanceof ParseError)) throw error;
    throw new ConfigError([
      { line: error.lineNumber, column: error.column + 1, message: `this is not TOML: ${error.message}.` },
    ]);
  }
}

/** What a letter of another encoding becomes when it is read as UTF-8. Kept so, whoever writes next would lose it for good. */
const REPLACEMENT = "\ufffd";

function refuseLostLetters(text: string): void {
  const at = text.indexOf(REPLACEMENT);
  if (at < 0) return;
  const before = text.slice(0, at).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  throw new ConfigError([
    {
      line: before.length,
      column,
      message: "the letter here is not UTF-8: write it anew, and save the file as UTF-8.",
    },
  ]);
}

export function readProgram(program: AST.TOMLProgram): TomlNode {
  const root: Tree = new Map();
  for (const item of program.body[0].body) {
    if (item.type === "TOMLKeyValue") setKey(root, item, 0);
    else {
      const table = openTable(root, item);
      for (const pair of item.body) setKey(table, pair, item.resolvedKey.length);
    }
  }
  return { value: root, place: { line: 1, column: 1 } };
}

const tooDeep = (place: Place) =>
  new ConfigError([{ ...place, message: "lists or tables are nested too deeply." }]);

const tooLong = (place: Place) =>
  new ConfigError([{ ...place, message: "a text or a number in it is too long." }]);

const placeOf = (node: AST.TOMLNode): Place => ({
  line: node.loc.start.line,
  column: node.loc.start.column + 1,
});

/** The table of a `[header]`: a number in its resolved key is the place in a list of tables. */
function openTable(root: Tree, item: AST.TOMLTable): Tree {
  let here = root;
  const path = item.resolvedKey;
  if (path.length > MAX_DEPTH) throw tooDeep(placeOf(item.key));
  for (let i = 0; i < path.length; i++) {
    const name = String(path[i]);
    const index = path[i + 1];
    if (typeof index === "number") {
      const list = (here.get(name)?.value ?? []) as TomlNode[];
      if (!here.has(name)) here.set(name, { value: list, place: placeOf(item) });
      list[index] ??= { value: new Map(), place: placeOf(item) };
      here = list[index].value as Tree;
      i++;
    } else {
      if (!here.has(name)) here.set(name, { value: new Map(), place: placeOf(item) });
      here = here.get(name)?.value as Tree;
    }
  }
  return here;
}

/** `depth`: how many levels the table is below the root. */
function setKey(table: Tree, { key, value }: AST.TOMLKeyValue, depth: number): void {
  const inner = depth + key.keys.length;
  if (inner > MAX_DEPTH) throw tooDeep(placeOf(key));
  const names = key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
  let here = table;
  for (const name of names.slice(0, -1)) {
    if (!here.has(name)) here.set(name, { value: new Map(), place: placeOf(key) });
    here = here.get(name)?.value as Tree;
  }
  here.set(names.at(-1) as string, { ...nodeOf(value, inner), keyPlace: placeOf(key) });
}

function nodeOf(content: AST.TOMLContentNode, depth: number): TomlNode {
  const place = placeOf(content);
  if (depth > MAX_DEPTH) throw tooDeep(place);
  if (content.type === "TOMLArray") {
    return { value: content.elements.map((each) => nodeOf(each, depth + 1)), place };
  }
  if (content.type === "TOMLInlineTable") {
    const table: Tree = new Map();
    for (const pair of content.body) setKey(table, pair, depth);
    return { value: table, place };
  }
  return { value: content.value, place };
}

/** The value without its places. */
export function plainValue(node: TomlNode): unknown {
  if (node.value instanceof Map) {
    return Object.fromEntries([...node.value].map(([key, each]) => [key, plainValue(each)]));
  }
  return Array.isArray(node.value) ? node.value.map(plainValue) : node.value;
}
