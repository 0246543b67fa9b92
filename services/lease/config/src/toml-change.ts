import { parseToml, plainValue } from "./toml-document.ts";
import { editToml, type TomlEdit } from "./toml-edit.ts";
import type { TomlPath } from "./toml-layout.ts";
import { isTable, isTableList, sameValue, type TomlTable, type TomlValue } from "./toml-text.ts";

/** By which key an element of a list of tables is known again when others of its values have changed. */
const NAMES = ["ip", "network", "range", "name", "code", "prefix"];
/** Each round of edits brings the document nearer; this many are never needed. */
const MAX_ROUNDS = 8;

/**
 * Changes a document so that it says exactly what is wanted, and only where it must: what is said
 * already stays byte for byte, with its comments and in its order; nothing to change, the same text.
 */
export function changeToml(text: string, wanted: TomlTable): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  let changed = text.slice(mark.length);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const edits = differences(plainValue(parseToml(changed)) as TomlTable, wanted, []);
    if (edits.length === 0) return mark + changed;
    for (const edit of edits) changed = editToml(changed, edit);
  }
  throw new Error("the document does not take the change");
}

/** The edits that lead from one value to the other; places in lists hold when they are applied in order. */
function differences(now: TomlValue, wanted: TomlValue, path: TomlPath): TomlEdit[] {
  if (sameValue(now, wanted)) return [];
  if (isTable(now) && isTable(wanted)) return tableDifferences(now, wanted, path);
  if (Array.isArray(now) && Array.isArray(wanted) && now.length > 0 && wanted.length > 0) {
    return listDifferences(now, wanted, path);
  }
  // What is written in another form must go before it can be written anew.
  const reshaped = isTable(now) || isTableList(now) || isTable(wanted) || isTableList(wanted);
  const set: TomlEdit = { kind: "set", path, value: wanted };
  return reshaped ? [{ kind: "remove", path }, set] : [set];
}

function tableDifferences(now: TomlTable, wanted: TomlTable, path: TomlPath): TomlEdit[] {
  const gone = Object.keys(now).filter((key) => !Object.hasOwn(wanted, key));
  const removed = gone.map((key): TomlEdit => ({ kind: "remove", path: [...path, key] }));
  const kept = Object.entries(wanted).flatMap(([key, value]) =>
    Object.hasOwn(now, key)
      ? differences(now[key] as TomlValue, value, [...path, key])
      : [{ kind: "set", path: [...path, key], value } as const],
  );
  return [...removed, ...kept];
}

function listDifferences(
  now: readonly TomlValue[],
  wanted: readonly TomlValue[],
  path: TomlPath,
): TomlEdit[] {
  const pairs = withNameless(now, wanted, commonElements(now, wanted));
  if (pairs.length === 0 && isTableList(now) !== isTableList(wanted)) {
    return [
      { kind: "remove", path },
      { kind: "set", path, value: wanted },
    ];
  }
  const kept = new Set(pairs.map(([from]) => from));
  const edits: TomlEdit[] = [];
  // A list must not be empty in between: then nothing would show how it was written.
  const inserts: TomlEdit[] = [];
  for (let from = now.length - 1; from >= 0; from--) {
    if (!kept.has(from)) edits.push({ kind: "remove", path: [...path, from] });
  }
  const partner = new Map(pairs.map(([from, to]) => [to, from]));
  for (const [to, value] of wanted.entries()) {
    const from = partner.get(to);
    if (from === undefined) inserts.push({ kind: "insert", path: [...path, to], value });
    else inserts.push(...differences(now[from] as TomlValue, value, [...path, to]));
  }
  if (kept.size > 0) return [...edits, ...inserts];
  // Nothing is kept: the first of the old ones becomes the first of the new ones.
  return [
    ...edits.filter((edit) => edit.path.at(-1) !== 0),
    ...differences(now[0] as TomlValue, wanted[0] as TomlValue, [...path, 0]),
    ...inserts.slice(1),
  ];
}

/** Elements that both lists have in the same order, as many as there can be: [place now, place wanted]. */
function commonElements(now: readonly TomlValue[], wanted: readonly TomlValue[]): Array<[number, number]> {
  // What is equal at both ends is nearly everything, as a rule; only what is between them is compared each with each.
  let start = 0;
  while (start < Math.min(now.length, wanted.length) && isEqualAt(now, wanted, start, start)) start++;
  let end = 0;
  while (
    end < Math.min(now.length, wanted.length) - start &&
    isEqualAt(now, wanted, now.length - 1 - end, wanted.length - 1 - end)
  )
    end++;
  const between = longestCommon(now.slice(start, now.length - end), wanted.slice(start, wanted.length - end));
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...between.map(([from, to]): [number, number] => [from + start, to + start]),
    ...Array.from({ length: end }, (_, at): [number, number] => [
      now.length - end + at,
      wanted.length - end + at,
    ]),
  ];
}

const isEqualAt = (now: readonly TomlValue[], wanted: readonly TomlValue[], i: number, j: number) =>
  sameValue(now[i] as TomlValue, wanted[j] as TomlValue);

/** The longest common subsequence; of two that are as long, the one in which more elements stay as they are. */
function longestCommon(now: readonly TomlValue[], wanted: readonly TomlValue[]): Array<[number, number]> {
  const many = Math.min(now.length, wanted.length) + 1;
  const worth = now.map((a) =>
    wanted.map((b) => (sameValue(a, b) ? many + 1 : isSameElement(a, b) ? many : 0)),
  );
  const best = Array.from({ length: now.length + 1 }, () => new Array<number>(wanted.length + 1).fill(0));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  const paired = (i: number, j: number) => {
    const own = worth[i]?.[j] ?? 0;
    return own === 0 ? -1 : own + at(i + 1, j + 1);
  };
  for (let i = now.length - 1; i >= 0; i--) {
    for (let j = wanted.length - 1; j >= 0; j--) {
      (best[i] as number[])[j] = Math.max(paired(i, j), at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: Array<[number, number]> = [];
  for (let i = 0, j = 0; i < now.length && j < wanted.length; ) {
    if (paired(i, j) === at(i, j)) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** Between two elements that stay, those without a name are the same ones in turn, with other values. */
function withNameless(
  now: readonly TomlValue[],
  wanted: readonly TomlValue[],
  pairs: ReadonlyArray<[number, number]>,
): Array<[number, number]> {
  const all: Array<[number, number]> = [];
  let [i, j] = [0, 0];
  for (const [from, to] of [...pairs, [now.length, wanted.length] as [number, number]]) {
    while (i < from && j < to) {
      if (isNameless(now[i] as TomlValue) && isNameless(wanted[j] as TomlValue)) all.push([i, j]);
      i++;
      j++;
    }
    if (from < now.length) all.push([from, to]);
    [i, j] = [from + 1, to + 1];
  }
  return all;
}

const isNameless = (value: TomlValue) => isTable(value) && !NAMES.some((key) => Object.hasOwn(value, key));

function isSameElement(a: TomlValue, b: TomlValue): boolean {
  if (!isTable(a) || !isTable(b)) return sameValue(a, b);
  const name = NAMES.find((key) => Object.hasOwn(a, key) || Object.hasOwn(b, key));
  if (name === undefined) return sameValue(a, b);
  return (
    Object.hasOwn(a, name) && Object.hasOwn(b, name) && sameValue(a[name] as TomlValue, b[name] as TomlValue)
  );
}
