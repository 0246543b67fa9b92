import { longestCommon } from "./longest-common.ts";
import { ConfigError, parseProgram, plainValue, readProgram } from "./toml-document.ts";
import { planEdit, type TomlEdit } from "./toml-edit.ts";
import { Layout, type TomlPath } from "./toml-layout.ts";
import { applySplices } from "./toml-splice.ts";
import {
  canonicalText,
  isTable,
  isTableList,
  sameValue,
  type TomlTable,
  type TomlValue,
} from "./toml-text.ts";

/** By which key an element of a list of tables is known again when others of its values have changed. */
const NAMES = ["ip", "network", "range", "name", "code", "prefix"];
/** Edits at one place wait for each other, a round each; this many never do. */
const MAX_ROUNDS = 1000;
/** Where so many rounds leave as many edits as there were, none of them ends. */
const MAX_STALLED = 50;

/**
 * Changes a document so that it says exactly what is wanted, and only where it must: what is said
 * already stays byte for byte, with its comments and in its order; nothing to change, the same text.
 */
export function changeToml(text: string, wanted: TomlTable): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  let changed = text.slice(mark.length);
  let [stalled, before] = [0, Number.POSITIVE_INFINITY];
  for (let round = 0; round < MAX_ROUNDS && stalled < MAX_STALLED; round++) {
    const program = parseProgram(changed);
    const edits = differences(plainValue(readProgram(program)) as TomlTable, wanted, []);
    if (edits.length === 0) return mark + changed;
    stalled = edits.length < before ? 0 : stalled + 1;
    before = edits.length;
    const layout = new Layout(changed, program);
    const next = applySplices(
      changed,
      edits.map((edit) => planEdit(layout, edit)),
    );
    if (next === changed) break;
    changed = next;
  }
  throw new ConfigError([{ line: 1, column: 1, message: "the document cannot be changed to this." }]);
}

/** The edits that lead from one value to the other, or some of them; places in lists are those of now. */
function differences(now: TomlValue, wanted: TomlValue, path: TomlPath): TomlEdit[] {
  if (sameValue(now, wanted)) return [];
  if (isTable(now) && isTable(wanted)) return tableDifferences(now, wanted, path);
  if (Array.isArray(now) && Array.isArray(wanted) && now.length > 0 && wanted.length > 0) {
    return listDifferences(now, wanted, path);
  }
  // What is written in another form must go before it can be written anew, in the next round.
  const reshaped = isTable(now) || isTableList(now) || isTable(wanted) || isTableList(wanted);
  return [reshaped ? { kind: "remove", path } : { kind: "set", path, value: wanted }];
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
  const common = withNameless(now, wanted, commonElements(now, wanted));
  const isReshaped = isTableList(now) !== isTableList(wanted);
  if (isReshaped && (common.length === 0 || isTableList(now))) return [{ kind: "remove", path }];
  // A list must not be empty in between: then nothing would show how it was written. Where nothing is kept, the first
  // of the old ones becomes the first of the new ones.
  const pairs = common.length > 0 ? common : [[0, 0] as const];
  const kept = new Set(pairs.map(([from]) => from));
  const edits = [...now.keys()]
    .filter((from) => !kept.has(from))
    .map((from): TomlEdit => ({ kind: "remove", path: [...path, from] }));
  let [from, to] = [0, 0];
  const insertBefore = (end: number) => {
    if (to < end) edits.push({ kind: "insert", path: [...path, from], values: wanted.slice(to, end) });
  };
  for (const [place, wantedPlace] of pairs) {
    // What comes before everything that is kept goes right before it; all else goes after what is kept before it.
    if (to === 0) from = place;
    insertBefore(wantedPlace);
    const inner = differences(now[place] as TomlValue, wanted[wantedPlace] as TomlValue, [...path, place]);
    for (const edit of inner) edits.push(edit);
    [from, to] = [place + 1, wantedPlace + 1];
  }
  insertBefore(wanted.length);
  return edits;
}

/** Elements that both lists have in the same order, as many as there can be: [place now, place wanted]. */
function commonElements(now: readonly TomlValue[], wanted: readonly TomlValue[]): Array<[number, number]> {
  // What is equal at both ends is nearly everything, as a rule; only what is between them is compared.
  let start = 0;
  while (start < Math.min(now.length, wanted.length) && isEqualAt(now, wanted, start, start)) start++;
  let end = 0;
  while (
    end < Math.min(now.length, wanted.length) - start &&
    isEqualAt(now, wanted, now.length - 1 - end, wanted.length - 1 - end)
  )
    end++;
  const between = longestCommon(
    now.slice(start, now.length - end),
    wanted.slice(start, wanted.length - end),
    elementKey,
    sameValue,
  );
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

/** Between two elements that stay, those without a name are the same ones in turn, with other values. */
function withNameless(
  now: readonly TomlValue[],
  wanted: readonly TomlValue[],
  pairs: ReadonlyArray<readonly [number, number]>,
): Array<readonly [number, number]> {
  const all: Array<readonly [number, number]> = [];
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

/** What an element is known by: its name, or all that it says. */
function elementKey(value: TomlValue): string {
  const name = isTable(value) ? NAMES.find((key) => Object.hasOwn(value, key)) : undefined;
  return name === undefined
    ? canonicalText(value)
    : `${name} ${canonicalText((value as TomlTable)[name] as TomlValue)}`;
}
