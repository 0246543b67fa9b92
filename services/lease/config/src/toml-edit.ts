import type { AST } from "toml-eslint-parser";
import { isWithin, Layout, namesOf, type Pair, type TomlPath } from "./toml-layout.ts";
import { isTable, isTableList, keyText, type TomlTable, type TomlValue, valueText } from "./toml-text.ts";

/** One change to a document. */
export type TomlEdit =
  | { readonly kind: "set"; readonly path: TomlPath; readonly value: TomlValue }
  | { readonly kind: "remove"; readonly path: TomlPath }
  /** Puts an element into a list, before the one that is at this place now, or at its end. */
  | { readonly kind: "insert"; readonly path: TomlPath; readonly value: TomlValue };

/** Applies a change and nothing else: every byte that it does not concern stays as it is. */
export function editToml(text: string, edit: TomlEdit): string {
  const layout = new Layout(text);
  const inline = layout.pairs.find(({ path }) => isWithin(edit.path, path));
  if (inline) {
    const rest = edit.path.slice(inline.path.length);
    if (rest.length > 0) return editInline(layout, inline.pair.value, rest, edit);
    if (edit.kind === "remove") return removePair(layout, inline.pair);
    const [from, to] = inline.pair.value.range;
    return layout.splice(from, to, valueText(edit.value));
  }
  if (edit.kind === "remove") return removeBelow(layout, edit.path);
  if (edit.kind === "insert") return insertTable(layout, edit.path, edit.value as TomlTable);
  return addValue(layout, edit.path, edit.value);
}

/** Inside `{ … }` or `[ … ]`. */
function editInline(layout: Layout, node: AST.TOMLContentNode, path: TomlPath, edit: TomlEdit): string {
  if (node.type === "TOMLInlineTable") {
    const pair = node.body.find((each) => isWithin(path, namesOf(each)));
    if (pair) {
      const rest = path.slice(namesOf(pair).length);
      if (rest.length > 0) return editInline(layout, pair.value, rest, edit);
      if (edit.kind === "remove") return removeElement(layout, node, node.body.indexOf(pair));
      return layout.splice(...pair.value.range, valueText(edit.value));
    }
    if (edit.kind === "remove") {
      // A table that is only implied by dotted keys goes with them.
      const implied = node.body.findIndex((each) => isWithin(namesOf(each), path));
      return implied < 0 ? layout.text : editToml(removeElement(layout, node, implied), edit);
    }
    const name = path.map((part) => keyText(String(part))).join(".");
    return insertElement(layout, node, node.body.length, `${name} = ${valueText(edit.value)}`);
  }
  if (node.type !== "TOMLArray") throw new Error(`nothing can be below ${layout.text.slice(...node.range)}`);
  const [place, ...rest] = path as [number, ...TomlPath];
  const element = node.elements[place];
  if (element && rest.length > 0) return editInline(layout, element, rest, edit);
  if (edit.kind === "remove") return removeElement(layout, node, place);
  if (edit.kind === "insert" || !element) return insertElement(layout, node, place, valueText(edit.value));
  return layout.splice(...element.range, valueText(edit.value));
}

type Container = AST.TOMLArray | AST.TOMLInlineTable;
const elementsOf = (node: Container): ReadonlyArray<{ range: AST.Range }> =>
  node.type === "TOMLArray" ? node.elements : node.body;

function removeElement(layout: Layout, node: Container, place: number): string {
  const elements = elementsOf(node);
  const [from, to] = (elements[place] as { range: AST.Range }).range;
  const next = elements[place + 1]?.range[0];
  const previous = elements[place - 1]?.range[1];
  const isInLine = (start: number, end: number) => !/[#\n]/.test(layout.text.slice(start, end));
  if (next !== undefined && isInLine(to, next)) return layout.splice(from, next, "");
  if (next === undefined && previous !== undefined && isInLine(previous, from)) {
    return layout.splice(previous, to, "");
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
  if (hasLineOfItsOwn) return layout.splice(lineStart, lineEnd, "");
  const between = comma === undefined ? "" : layout.text.slice(to, comma);
  return layout.text.slice(0, from) + between + layout.text.slice(end);
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

function insertElement(layout: Layout, node: Container, place: number, inserted: string): string {
  const elements = elementsOf(node);
  const next = elements[place]?.range[0];
  const last = elements.at(-1)?.range;
  if (last === undefined) {
    const padding = node.type === "TOMLInlineTable" ? " " : "";
    const open = node.range[0] + 1;
    // What stands between the brackets, a comment perhaps, stays.
    const close = node.range[1] - 1;
    return layout.text.slice(open, close).trim() === ""
      ? layout.splice(open, close, `${padding}${inserted}${padding}`)
      : layout.splice(open, open, `${inserted},`);
  }
  const isOverLines = node.type === "TOMLArray" && layout.text.slice(node.range[0], last[0]).includes("\n");
  if (isOverLines) return insertLine(layout, node, next, last, inserted);
  if (next !== undefined) return layout.splice(next, next, `${inserted}, `);
  return layout.splice(last[1], last[1], `, ${inserted}`);
}

/** An element with a line of its own, apart from the comments on and above the lines of others. */
function insertLine(
  layout: Layout,
  node: Container,
  next: number | undefined,
  last: AST.Range,
  inserted: string,
): string {
  const indent = layout.indent(next ?? last[0]);
  if (next !== undefined) {
    const line = layout.lineStart(next);
    if (line <= node.range[0] || layout.text.slice(line, next).trim() !== "") {
      return layout.splice(next, next, `${inserted},\n${indent}`);
    }
    const start = layout.commentsAbove(line);
    return layout.splice(start, start, `${indent}${inserted},\n`);
  }
  const comma = commaAfter(layout.text, last[1], node.range[1] - 1);
  const end = comma === undefined ? last[1] : comma + 1;
  const lineEnd = layout.lineEnd(end);
  if (!/^[ \t]*(#.*)?\r?\n$/.test(layout.text.slice(end, lineEnd))) {
    return layout.splice(last[1], last[1], `,\n${indent}${inserted}`);
  }
  if (comma !== undefined) return layout.splice(lineEnd, lineEnd, `${indent}${inserted},\n`);
  const text = layout.splice(lineEnd, lineEnd, `${indent}${inserted}\n`);
  return `${text.slice(0, end)},${text.slice(end)}`;
}

function removePair(layout: Layout, pair: AST.TOMLKeyValue): string {
  return layout.splice(layout.lineStart(pair.range[0]), layout.lineEnd(pair.range[1]), "");
}

/** Everything at a path and below: tables, and pairs with dotted keys. */
function removeBelow(layout: Layout, path: TomlPath): string {
  const tables = layout.tablesBelow(path);
  const pairs = layout.pairs.filter(
    (each) => isWithin(each.path, path) && !tables.some(({ body }) => body.includes(each.pair)),
  );
  const ranges = [
    ...tables.map((table): [number, number] => [layout.lineStart(table.range[0]), layout.tableEnd(table)]),
    ...pairs.map(({ pair }): [number, number] => [
      layout.lineStart(pair.range[0]),
      layout.lineEnd(pair.range[1]),
    ]),
  ];
  // From the end on, so that what is before stays where it is.
  return ranges
    .sort(([a], [b]) => b - a)
    .reduce((text, [from, to]) => withoutLines(text, from, to), layout.text);
}

/** Takes lines out; of the empty lines before and after them one is enough. */
function withoutLines(text: string, from: number, to: number): string {
  const before = text.slice(0, from);
  const behind = text.slice(to);
  const blank = /^[ \t]*\r?\n/.exec(behind)?.[0] ?? "";
  return /(^|\n)[ \t]*\r?\n$/.test(before) ? before + behind.slice(blank.length) : before + behind;
}

function addValue(layout: Layout, path: TomlPath, value: TomlValue): string {
  const parent = path.slice(0, -1);
  const name = String(path.at(-1));
  if (isTableList(value)) {
    return value.reduce((text, each, i) => insertTable(new Layout(text), [...path, i], each), layout.text);
  }
  // A table of its own for what stands at the top, `name = { … }` for what is inside another.
  if (isTable(value) && parent.length === 0) return insertTable(layout, path, value);
  return addPair(layout, parent, name, value);
}

function addPair(layout: Layout, parent: TomlPath, name: string, value: TomlValue): string {
  const line = (key: string, indent: string) => `${indent}${key} = ${valueText(value)}\n`;
  if (parent.length === 0) {
    const last = layout.rootPairs.at(-1);
    return last
      ? after(layout, layout.lineEnd(last.range[1]), line(keyText(name), layout.indent(last.range[0])))
      : layout.splice(0, 0, line(keyText(name), ""));
  }
  const table = layout.tableAt(parent);
  if (table) {
    const indent = layout.indent((table.body.at(-1) ?? table).range[0]);
    return after(layout, layout.tableEnd(table), line(keyText(name), indent));
  }
  // The parent is only implied: by dotted keys beside which it goes, or by tables below it.
  const outerOf = ({ path, pair }: Pair) => path.length - namesOf(pair).length;
  const near = layout.pairs.findLast((each) => isWithin(each.path, parent) && outerOf(each) <= parent.length);
  if (near) {
    const outer = outerOf(near);
    const key = [...parent.slice(outer), name].map((part) => keyText(String(part))).join(".");
    return after(layout, layout.lineEnd(near.pair.range[1]), line(key, layout.indent(near.pair.range[0])));
  }
  return insertTable(layout, parent, { [name]: value });
}

/** Puts text at the start of a line; the last line of a document may lack its newline. */
function after(layout: Layout, at: number, inserted: string): string {
  const newline = at > 0 && layout.text[at - 1] !== "\n" ? "\n" : "";
  return layout.splice(at, at, newline + inserted);
}

/** Writes `[name]`, or `[[name]]` where the path ends with a place in a list. */
function insertTable(layout: Layout, path: TomlPath, table: TomlTable): string {
  const isElement = typeof path.at(-1) === "number";
  const names = path.filter((part) => typeof part === "string").map((part) => keyText(String(part)));
  const { at, indent } = placeFor(layout, path, isElement);
  const header = isElement ? `[[${names.join(".")}]]` : `[${names.join(".")}]`;
  const own = Object.entries(table).filter(([, value]) => !isTableList(value));
  const lines = [header, ...own.map(([key, value]) => `${keyText(key)} = ${valueText(value)}`)];
  const before = at === 0 || /\n[ \t]*\r?\n$/.test(layout.text.slice(0, at)) ? "" : "\n";
  const behind = at < layout.text.length && !/^[ \t]*\r?\n/.test(layout.text.slice(at)) ? "\n" : "";
  let text = after(layout, at, before + lines.map((line) => `${indent}${line}\n`).join("") + behind);
  for (const [key, value] of Object.entries(table)) {
    if (!isTableList(value)) continue;
    for (const [i, each] of value.entries()) text = insertTable(new Layout(text), [...path, key, i], each);
  }
  return text;
}

/** Where a new table goes: after its elder sibling and all below that, else after its parent, else at the end. */
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
  const parent = isElement ? list.slice(0, -1) : list;
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
