import {
  type ConfigProblem,
  type Place,
  parseToml,
  type TomlNode,
} from "@frontdesk/lease-config/toml-document";

interface Placed {
  readonly pointer: string;
  readonly place: Place;
}

/** Of each problem of a text, which of its values it is about: a JSON pointer (RFC 6901) below `root`. */
export function problemPointers(text: string, problems: readonly ConfigProblem[], root: string) {
  const all = [...placesOf(parseToml(text), root)];
  return problems.map((problem) => ({ pointer: pointerOf(problem, all) ?? root, detail: problem.message }));
}

function* placesOf({ value, place, keyPlace }: TomlNode, pointer: string): Generator<Placed> {
  yield { pointer, place };
  if (keyPlace) yield { pointer, place: keyPlace };
  const entries = value instanceof Map || Array.isArray(value) ? [...value.entries()] : [];
  for (const [key, child] of entries as Array<[string | number, TomlNode]>)
    yield* placesOf(child, `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

/** The last that begins before the problem in its line: a problem may be in the middle of a text. */
const pointerOf = ({ line, column }: ConfigProblem, all: readonly Placed[]) =>
  all
    .filter(({ place }) => place.line === line && place.column <= column)
    .sort((one, other) => one.place.column - other.place.column)
    .at(-1)?.pointer;
