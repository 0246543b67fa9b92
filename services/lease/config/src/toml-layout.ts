import { type AST, parseTOML } from "toml-eslint-parser";

/** From the root to a value: names, and places in lists. */
export type TomlPath = ReadonlyArray<string | number>;

export interface Pair {
  readonly path: TomlPath;
  readonly pair: AST.TOMLKeyValue;
}

/** Where every table and every pair of a document stands. */
export class Layout {
  readonly text: string;
  readonly tables: readonly AST.TOMLTable[];
  readonly rootPairs: readonly AST.TOMLKeyValue[];
  readonly pairs: readonly Pair[];

  constructor(text: string) {
    this.text = text;
    const { body } = parseTOML(text, { tomlVersion: "1.0.0" }).body[0];
    this.tables = body.filter((item) => item.type === "TOMLTable");
    this.rootPairs = body.filter((item) => item.type === "TOMLKeyValue");
    this.pairs = [
      ...this.rootPairs.map((pair) => ({ path: namesOf(pair), pair })),
      ...this.tables.flatMap((table) =>
        table.body.map((pair) => ({ path: [...table.resolvedKey, ...namesOf(pair)], pair })),
      ),
    ];
  }

  tableAt(path: TomlPath): AST.TOMLTable | undefined {
    return this.tables.find(({ resolvedKey }) => samePath(resolvedKey, path));
  }

  /** Tables at a path or below it, in the order of the text. */
  tablesBelow(path: TomlPath): AST.TOMLTable[] {
    return this.tables.filter(({ resolvedKey }) => isWithin(resolvedKey, path));
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

  /** New text, of which every line ends as the first of the document does, in place of old. */
  splice(from: number, to: number, inserted: string): string {
    const newline = /\r?\n/.exec(this.text)?.[0] ?? "\n";
    return this.text.slice(0, from) + inserted.replaceAll("\n", newline) + this.text.slice(to);
  }
}

const headerEnd = (table: AST.TOMLTable) => table.key.range[1];

export const namesOf = (pair: AST.TOMLKeyValue): string[] =>
  pair.key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
const samePath = (a: TomlPath, b: TomlPath) => a.length === b.length && isWithin(a, b);
export const isWithin = (path: TomlPath, outer: TomlPath) =>
  path.length >= outer.length && outer.every((part, i) => path[i] === part);
