import { ConfigError, type ConfigProblem, type Place, type TomlNode } from "./toml-document.ts";

/** A value that still knows where it stood, for the checks that come later. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
}

/** More than anybody reads; a text that is no configuration at all has one in every line. */
const MAX_PROBLEMS = 100;
/** Longer words of the text are cut in messages, and no key is that long. */
const MAX_SHOWN = 64;

/** Collects what is wrong, so that one reading tells all of it, or as much as anybody reads. */
export class Report {
  readonly problems: ConfigProblem[] = [];
  #more = 0;

  /** A message that takes some work is made only where it is told. */
  add(place: Place, message: string | (() => string)): undefined {
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push({ ...place, message: typeof message === "string" ? message : message() });
    } else this.#more++;
    return undefined;
  }

  /** With these, which are none by themselves. */
  throwIfAny(also: readonly ConfigProblem[] = []): void {
    if (this.problems.length === 0) return;
    const told = [...this.problems, ...also].toSorted((a, b) => a.line - b.line || a.column - b.column);
    const last = told.at(-1);
    if (this.#more > 0 && last) told.push({ ...last, message: `and ${this.#more} more problems.` });
    throw new ConfigError(told);
  }
}

/** Reads a node into a value, or reports why it cannot and answers undefined. */
export type Shape<T> = (node: TomlNode, report: Report, name: string) => T | undefined;

export const string: Shape<string> = (node, report, name) =>
  typeof node.value === "string" && node.value !== ""
    ? node.value
    : report.add(node.place, `${name} must be a text in quotes that is not empty.`);

export const boolean: Shape<boolean> = (node, report, name) =>
  typeof node.value === "boolean" ? node.value : report.add(node.place, `${name} must be true or false.`);

export function integer(min: number, max: number): Shape<number> {
  return (node, report, name) =>
    Number.isInteger(node.value) && (node.value as number) >= min && (node.value as number) <= max
      ? (node.value as number)
      : report.add(node.place, `${name} must be a whole number from ${min} to ${max}.`);
}

export function oneOf<const T extends string>(...words: readonly T[]): Shape<T> {
  return (node, report, name) =>
    words.find((word) => word === node.value) ??
    report.add(node.place, `${name} must be one of ${words.map((word) => `"${word}"`).join(", ")}.`);
}

/** A text that `parse` understands; `form` completes "must be …". */
export function parsed<T>(form: string, parse: (text: string) => T | undefined): Shape<T> {
  return (node, report, name) => {
    const value = typeof node.value === "string" ? parse(node.value) : undefined;
    return value === undefined ? report.add(node.place, `${name} must be ${form}.`) : value;
  };
}

export function placed<T>(inner: Shape<T>): Shape<Placed<T>> {
  return (node, report, name) => {
    const value = inner(node, report, name);
    return value === undefined ? undefined : { value, place: node.place };
  };
}

export function listOf<T>(inner: Shape<T>): Shape<T[]> {
  return (node, report, name) => {
    if (!Array.isArray(node.value)) return report.add(node.place, `${name} must be a list in [ ].`);
    return node.value.flatMap((each: TomlNode) => {
      const value = inner(each, report, `each of ${name}`);
      return value === undefined ? [] : [value];
    });
  };
}

/** One value or a list of them. */
export function oneOrMore<T>(inner: Shape<T>): Shape<T[]> {
  const list = listOf(inner);
  return (node, report, name) => {
    if (Array.isArray(node.value)) return list(node, report, name);
    const value = inner(node, report, name);
    return value === undefined ? undefined : [value];
  };
}

export function tablesOf<T>(inner: Shape<T>): Shape<T[]> {
  return (node, report, name) => {
    const nodes = node.value;
    if (!Array.isArray(nodes) || nodes.some((each: TomlNode) => !(each.value instanceof Map))) {
      return report.add(node.place, `${name} must be written as [[${name}]].`);
    }
    return nodes.flatMap((each: TomlNode) => inner(each, report, name) ?? []);
  };
}

/** The node itself, for what is read later. */
export const anything: Shape<TomlNode> = (node) => node;

export type Fields = Readonly<Record<string, Shape<unknown>>>;
export type Table<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Shape<infer T> ? T | undefined : never;
} & { readonly place: Place };

/** A table of known keys; any other key is reported with the one it may have been meant to be. */
export function table<const F extends Fields>(fields: F): Shape<Table<F>> {
  return (node, report, name) => {
    if (!(node.value instanceof Map)) return report.add(node.place, `${name} must be a table.`);
    const result: Record<string, unknown> = { place: node.place };
    for (const [key, child] of node.value as ReadonlyMap<string, TomlNode>) {
      const shape = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (shape) result[key] = shape(child, report, key);
      else report.add(child.keyPlace ?? child.place, () => unknownKey(key, name, Object.keys(fields)));
    }
    return result as Table<F>;
  };
}

function unknownKey(key: string, where: string, known: readonly string[]): string {
  if (key.length > MAX_SHOWN) return `${key.slice(0, MAX_SHOWN)}… is not a key of ${where}.`;
  const [best] = known.map((each) => ({ each, far: distance(key, each) })).sort((a, b) => a.far - b.far);
  const hint =
    best && best.far <= Math.max(2, key.length / 3)
      ? `did you mean ${best.each}?`
      : `the keys are ${known.join(", ")}.`;
  return `${key} is not a key of ${where}: ${hint}`;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1);
    }
    row = next;
  }
  return row[b.length] as number;
}
