import type { AST } from "toml-eslint-parser";

/** From the root to a value: names, and places in lists. */
export type TomlPath = ReadonlyArray<string | number>;

export interface Pair {
  readonly path: TomlPath;
  readonly pair: AST.TOMLKeyValue;
}

/** Where every table and every pair of a document stands. */
export class Layout {
  readonly text: string;
  readonly rootPairs: readonly AST.TOMLKeyValue[];
  /** By their paths. */
  readonly #pairs = new Map<string, Pair>();
  readonly #tables = new Map<string, AST.TOMLTable>();
  /** By the path of every table above them, and their own. */
  readonly #below = new Map<string, AST.TOMLTable[]>();
  /** Pairs with dotted keys, by the path of every table that only they imply. */
  readonly #implying = new Map<string, Pair[]>();

  constructor(text: string, program: AST.TOMLProgram) {
    this.text = text;
    const { body } = program.body[0];
    this.rootPairs = body.filter((item) => item.type === "TOMLKeyValue");
    for (const pair of this.rootPairs) this.#addPair([], pair);
    for (const table of body) if (table.type === "TOMLTable") this.#addTable(table);
  }

  /** The pair whose value a path leads to, or into. */
  pairOver(path: TomlPath): Pair | undefined {
    for (let length = 1; length <= path.length; length++) {
      const found = this.#pairs.get(keyOf(path.slice(0, length)));
      if (found) return found;
    }
    return undefined;
  }

  /** Pairs with dotted keys that imply a table, in the order of the text. */
  pairsImplying(path: TomlPath): readonly Pair[] {
    return this.#implying.get(keyOf(path)) ?? [];
  }

  tableAt(path: TomlPath): AST.TOMLTable | undefined {
    return this.#tables.get(keyOf(path));
  }

  /** Tables at a path or below it, in the order of the text. */
  tablesBelow(path: TomlPath): readonly AST.TOMLTable[] {
    return this.#below.get(keyOf(path)) ?? [];
  }

  lineStart(offset: number): number {
    return this.text.lastIndexOf("\n", offset - 1) + 1;
  }

  /** After the line's newline, or the end of the text. */
  lineEnd(offset: number): number {
    const newline = this.text.indexOf("\n", offset);
    return newline < 0 ? this.text.length : newline + 1;
  }

  indent(offset: number): string {
    return /^[ \t]*/.exec(this.text.slice(this.lineStart(offset)))?.[0] ?? "";
  }

  /** The end of a table's own lines; comments after its last pair belong to what follows. */
  tableEnd(table: AST.TOMLTable): number {
    const last = table.body.at(-1);
    return this.lineEnd(last ? last.range[1] : headerEnd(table));
  }

  /** The start of the comment lines right above a line: they speak of what is on it. */
  commentsAbove(line: number): number {
    let start = line;
    while (start > 0) {
      const above = this.lineStart(start - 1);
      if (!/^[ \t]*#/.test(this.text.slice(above, start))) break;
      start = above;
    }
    return start;
  }

  /** The end of the empty line that begins here; the same place when the line is not empty. */
  afterBlank(line: number): number {
    const end = this.lineEnd(line);
    return this.text[end - 1] === "\n" && this.text.slice(line, end).trim() === "" ? end : line;
  }

  /** Whether the line before this one is empty. */
  isBlankBefore(line: number): boolean {
    if (this.text[line - 1] !== "\n") return false;
    return this.text.slice(this.lineStart(line - 1), line).trim() === "";
  }

  #addTable(table: AST.TOMLTable): void {
    const path = table.resolvedKey;
    if (!this.#tables.has(keyOf(path))) this.#tables.set(keyOf(path), table);
    for (let length = 1; length <= path.length; length++) {
      addTo(this.#below, keyOf(path.slice(0, length)), table);
    }
    for (const pair of table.body) this.#addPair(path, pair);
  }

  #addPair(table: TomlPath, pair: AST.TOMLKeyValue): void {
    const path = [...table, ...namesOf(pair)];
    this.#pairs.set(keyOf(path), { path, pair });
    for (let length = table.length + 1; length < path.length; length++) {
      addTo(this.#implying, keyOf(path.slice(0, length)), { path, pair });
    }
  }
}

const keyOf = (path: TomlPath) => JSON.stringify(path);
const headerEnd = (table: AST.TOMLTable) => table.key.range[1];

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

export const namesOf = (pair: AST.TOMLKeyValue): string[] =>
  pair.key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
export const isWithin = (path: TomlPath, outer: TomlPath) =>
  path.length >= outer.length && outer.every((part, i) => path[i] === part);
