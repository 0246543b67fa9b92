import type { AST } from "toml-eslint-parser";
import { isWithin, type Layout, namesOf, type TomlPath } from "./toml-layout.ts";
import type { Splice } from "./toml-splice.ts";
import { isTable, isTableList, keyText, type TomlTable, type TomlValue, valueText } from "./toml-text.ts";

/** One change to a document. */
export type TomlEdit =
  | { readonly kind: "set"; readonly path: TomlPath; readonly value: TomlValue }
  | { readonly kind: "remove"; readonly path: TomlPath }
  /** Puts elements into a list, before the one that is at this place now, or at its end. */
  | { readonly kind: "insert"; readonly path: TomlPath; readonly values: readonly TomlValue[] };

/** What a change does to the text, and nothing else: every byte that it does not concern stays as it is. */
export function planEdit(layout: Layout, edit: TomlEdit): Splice[] {
  const over = layout.pairOver(edit.path);
  if (over) {
    const rest = edit.path.slice(over.path.length);
    if (rest.length > 0) return editInline(layout, over.pair.value, rest, edit);
    return edit.kind === "remove" ? [removePair(layout, over.pair)] : [replaceValue(over.pair.value, edit)];
  }
  if (edit.kind === "remove") return removeBelow(layout, edit.path);
  if (edit.kind === "insert") return [insertTables(layout, edit.path, edit.values as readonly TomlTable[])];
  return [addValue(layout, edit.path, edit.value)];
}

const replace = (from: number, to: number, text: string): Splice => ({ from, to, text });

const valuesOf = (edit: Exclude<TomlEdit, { kind: "remove" }>) =>
  edit.kind === "set" ? [edit.value] : edit.values;

function replaceValue(node: AST.TOMLContentNode, edit: Exclude<TomlEdit, { kind: "remove" }>): Splice {
  return replace(...node.range, valuesOf(edit).map(valueText).join(", "));
}

/** Inside `{ … }` or `[ … ]`. */
function editInline(layout: Layout, node: AST.TOMLContentNode, path: TomlPath, edit: TomlEdit): Splice[] {
  if (node.type === "TOMLInlineTable") {
    const pair = node.body.find((each) => isWithin(path, namesOf(each)));
    if (pair) {
      const rest = path.slice(namesOf(pair).length);
      if (rest.length > 0) return editInline(layout, pair.value, rest, edit);
      if (edit.kind === "remove") return removeElement(layout, node, node.body.indexOf(pair));
      return [replaceValue(pair.value, edit)];
    }
    if (edit.kind === "remove") {
      // A table that is only implied by dotted keys goes with them, one after the other.
      const implied = node.body.findIndex((each) => isWithin(namesOf(each), path));
      return implied < 0 ? [] : removeElement(layout, node, implied);
    }
    const name = path.map((part) => keyText(String(part))).join(".");
    const pairs = valuesOf(edit).map((value) => `${name} = ${valueText(value)}`);
    return insertElements(layout, node, node.body.length, pairs);
  }
  if (node.type !== "TOMLArray") throw new Error(`nothing can be below ${layout.text.slice(...node.range)}`);
  const [place, ...rest] = path as [number, ...TomlPath];
  const element = node.elements[place];
  if (element && rest.length > 0) return editInline(layout, element, rest, edit);
  if (edit.kind === "remove") return removeElement(layout, node, place);
  if (edit.kind === "set" && element) return [replaceValue(element, edit)];
  return insertElements(layout, node, place, valuesOf(edit).map(valueText));
}

type Container = AST.TOMLArray | AST.TOMLInlineTable;
const elementsOf = (node: Container): ReadonlyArray<{ range: AST.Range }> =>
  node.type === "TOMLArray" ? node.elements : node.body;

function removeElement(layout: Layout, node: Container, place: number): Splice[] {
  const elements = elementsOf(node);
  const [from, to] = (elements[place] as { range: AST.Range }).range;
  const next = elements[place + 1]?.range[0];
  const previous = elements[place - 1]?.range[1];
  const isInLine = (start: number, end: number) => !/[#\n]/.test(layout.text.slice(start, end));
  if (next !== undefined && isInLine(to, next)) return [replace(from, next, "")];
  if (next === undefined && previous !== undefined && isInLine(previous, from)) {
    return [replace(previous, to, "")];
  }
  // A list over lines may end with a comma. What is written above an element stays for a person to judge, and what
  // is written above the next one is the next one's.
  const comma = commaAfter(layout.text, to, next ?? node.range[1] - 1);
  const end = comma === undefined ? to : comma + 1;
  const [lineStart, lineEnd] = [layout.lineStart(from), layout.lineEnd(end)];
  const hasLineOfItsOwn =
    lineStart > node.range[0] &&
    layout.text.slice(lineStart, from).trim() === "" &&
    isInLine(from, end) &&
    /^[ \t]*(#.*)?\r?\n$/.test(layout.text.slice(end, lineEnd));
  if (hasLineOfItsOwn) return [replace(lineStart, lineEnd, "")];
  return [replace(from, to, ""), ...(comma === undefined ? [] : [replace(comma, comma + 1, "")])];
}

/** Where the comma after an element stands, behind comments perhaps. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at++) {
    if (text[at] === ",") return at;
    if (text[at] === "#") at = text.indexOf("\n", at);
    if (at < 0) return undefined;
  }
  return undefined;
}

function insertElements(
  layout: Layout,
  node: Container,
  place: number,
  inserted: readonly string[],
): Splice[] {
  const elements = elementsOf(node);
  const next = elements[place]?.range[0];
  const last = elements.at(-1)?.range;
  const line = inserted.join(", ");
  if (last === undefined) {
    const padding = node.type === "TOMLInlineTable" ? " " : "";
    const open = node.range[0] + 1;
    // What stands between the brackets, a comment perhaps, stays.
    const close = node.range[1] - 1;
    return layout.text.slice(open, close).trim() === ""
      ? [replace(open, close, `${padding}${line}${padding}`)]
      : [replace(open, open, `${line},`)];
  }
  const isOverLines = node.type === "TOMLArray" && layout.text.slice(node.range[0], last[0]).includes("\n");
  if (isOverLines) return insertLines(layout, node, next, last, inserted);
  if (next !== undefined) return [replace(next, next, `${line}, `)];
  return [{ ...replace(last[1], last[1], `, ${line}`), joins: true }];
}

/** Elements with lines of their own, apart from the comments on and above the lines of others. */
function insertLines(
  layout: Layout,
  node: Container,
  next: number | undefined,
  last: AST.Range,
  inserted: readonly string[],
): Splice[] {
  const indent = layout.indent(next ?? last[0]);
  const lines = inserted.join(`,\n${indent}`);
  if (next !== undefined) {
    const line = layout.lineStart(next);
    if (line <= node.range[0] || layout.text.slice(line, next).trim() !== "") {
      return [replace(next, next, `${lines},\n${indent}`)];
    }
    const start = layout.commentsAbove(line);
    return [replace(start, start, `${indent}${lines},\n`)];
  }
  const comma = commaAfter(layout.text, last[1], node.range[1] - 1);
  const end = comma === undefined ? last[1] : comma + 1;
  const lineEnd = layout.lineEnd(end);
  if (!/^[ \t]*(#.*)?\r?\n$/.test(layout.text.slice(end, lineEnd))) {
    return [replace(last[1], last[1], `,\n${indent}${lines}`)];
  }
  if (comma !== undefined) return [replace(lineEnd, lineEnd, `${indent}${lines},\n`)];
  return [replace(end, end, ","), replace(lineEnd, lineEnd, `${indent}${lines}\n`)];
}

const removePair = (layout: Layout, { range: [from, to] }: AST.TOMLKeyValue) =>
  replace(layout.lineStart(from), layout.lineEnd(to), "");

/** Everything at a path and below: tables, and pairs with dotted keys. */
function removeBelow(layout: Layout, path: TomlPath): Splice[] {
  return [
    ...layout
      .tablesBelow(path)
      .map((table) => withoutLines(layout, layout.lineStart(table.range[0]), layout.tableEnd(table))),
    ...layout
      .pairsImplying(path)
      .map(({ pair: { range } }) =>
        withoutLines(layout, layout.lineStart(range[0]), layout.lineEnd(range[1])),
      ),
  ];
}

/** Takes lines out; of the empty lines before and after them one is enough. */
const withoutLines = (layout: Layout, from: number, to: number) =>
  replace(from, from === 0 || layout.isBlankBefore(from) ? layout.afterBlank(to) : to, "");

function addValue(layout: Layout, path: TomlPath, value: TomlValue): Splice {
  const parent = path.slice(0, -1);
  const name = String(path.at(-1));
  if (isTableList(value)) return insertTables(layout, [...path, 0], value);
  // A table of its own for what stands at the top, `name = { … }` for what is inside another.
  if (isTable(value) && parent.length === 0) return insertTables(layout, path, [value]);
  return addPair(layout, parent, name, value);
}

function addPair(layout: Layout, parent: TomlPath, name: string, value: TomlValue): Splice {
  const line = (key: string, indent: string) => `${indent}${key} = ${valueText(value)}\n`;
  if (parent.length === 0) {
    const last = layout.rootPairs.at(-1);
    return last
      ? addLine(layout, layout.lineEnd(last.range[1]), line(keyText(name), layout.indent(last.range[0])))
      : { ...replace(0, 0, line(keyText(name), "")), joins: true };
  }
  const table = layout.tableAt(parent);
  if (table) {
    const indent = layout.indent((table.body.at(-1) ?? table).range[0]);
    return addLine(layout, layout.tableEnd(table), line(keyText(name), indent));
  }
  // The parent is only implied: by dotted keys beside which it goes, or by tables below it.
  const near = layout.pairsImplying(parent).at(-1);
  if (near) {
    const outer = near.path.length - namesOf(near.pair).length;
    const key = [...parent.slice(outer), name].map((part) => keyText(String(part))).join(".");
    return addLine(layout, layout.lineEnd(near.pair.range[1]), line(key, layout.indent(near.pair.range[0])));
  }
  return insertTables(layout, parent, [{ [name]: value }]);
}

/** A line after others; the last line of a document may lack its newline. */
function addLine(layout: Layout, at: number, line: string): Splice {
  const hasNewline = at === 0 || layout.text[at - 1] === "\n";
  return { from: at, to: at, text: hasNewline ? line : `\n${line}`, joins: hasNewline };
}

/** Writes `[name]`, or `[[name]]` for each where the path ends with a place in a list. */
function insertTables(layout: Layout, path: TomlPath, tables: readonly TomlTable[]): Splice {
  const isElement = typeof path.at(-1) === "number";
  const names = path.filter((part) => typeof part === "string").map((part) => keyText(part));
  const { at, indent } = placeFor(layout, path, isElement);
  const before = at === 0 || layout.isBlankBefore(at) ? "" : "\n";
  const behind = at < layout.text.length && layout.afterBlank(at) === at ? "\n" : "";
  const blocks = tables.flatMap((table) => tableBlocks(names, table, indent, isElement));
  return { ...addLine(layout, at, before + blocks.join("\n") + behind), joins: false };
}

/** A table and the lists of tables below it, each with its lines. */
function tableBlocks(
  names: readonly string[],
  table: TomlTable,
  indent: string,
  isElement: boolean,
): string[] {
  const header = isElement ? `[[${names.join(".")}]]` : `[${names.join(".")}]`;
  const lines = [header];
  const below: string[] = [];
  for (const [key, value] of Object.entries(table)) {
    if (!isTableList(value)) lines.push(`${keyText(key)} = ${valueText(value)}`);
    else {
      const inner = [...names, keyText(key)];
      for (const each of value)
        for (const block of tableBlocks(inner, each, `${indent}  `, true)) below.push(block);
    }
  }
  return [lines.map((line) => `${indent}${line}\n`).join(""), ...below];
}

/**
 * Where a new table goes: after its elder sibling and all below that, else after its parent, or what that is in where only
 * dotted keys imply it, else at the end.
 */
function placeFor(layout: Layout, path: TomlPath, isElement: boolean): { at: number; indent: string } {
  const place = path.at(-1) as number;
  const list = path.slice(0, -1);
  if (isElement && place > 0) {
    const siblings = layout.tablesBelow([...list, place - 1]);
    const first = siblings[0];
    const last = siblings.at(-1);
    if (first && last) return { at: layout.tableEnd(last), indent: layout.indent(first.range[0]) };
  }
  const next = isElement ? layout.tableAt(path) : layout.tablesBelow(path)[0];
  if (next)
    return {
      at: layout.commentsAbove(layout.lineStart(next.range[0])),
      indent: layout.indent(next.range[0]),
    };
  let parent = isElement ? list.slice(0, -1) : list;
  while (parent.length > 0 && layout.tablesBelow(parent).length === 0) parent = parent.slice(0, -1);
  const family = parent.length === 0 ? [] : layout.tablesBelow(parent);
  const head = family[0];
  const last = family.at(-1);
  if (!head || !last) return { at: layout.text.length, indent: "" };
  const sample = last === head ? undefined : last;
  return {
    at: layout.tableEnd(last),
    indent: sample ? layout.indent(sample.range[0]) : `${layout.indent(head.range[0])}  `,
  };
}
