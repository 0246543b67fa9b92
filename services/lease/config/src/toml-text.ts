/** A value as TOML knows it, without where it stands. */
export type TomlValue =
  | string
  | number
  | boolean
  | Date
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };
export type TomlTable = { readonly [key: string]: TomlValue };

export const isTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
/** What can be written as `[[name]]`. */
export const isTableList = (value: TomlValue | undefined): value is readonly TomlTable[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTable);

export function sameValue(a: TomlValue, b: TomlValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, i) => sameValue(each, b[i] as TomlValue));
  }
  if (isTable(a) && isTable(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key] as TomlValue, b[key] as TomlValue))
    );
  }
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  // A lone surrogate cannot be written: what is written instead is the same.
  if (typeof a === "string" && typeof b === "string") return a === b || a.toWellFormed() === b.toWellFormed();
  return Object.is(a, b) || (a === 0 && b === 0);
}

/** The same for values that are the same, in whatever order their keys are. */
export function canonicalText(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isTable(value)) return valueText(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${keyText(key)}=${canonicalText(value[key] as TomlValue)}`).join(",")}}`;
}

export const keyText = (key: string) => (/^[\w-]+$/.test(key) ? key : stringText(key));

/** TOML 1.0: control characters are escaped; lone surrogates cannot be written at all. */
export function stringText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/\u007f/g, "\\u007f");
}

export function valueText(value: TomlValue): string {
  if (typeof value === "string") return stringText(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return numberText(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  const pairs = Object.entries(value).map(([key, each]) => `${keyText(key)} = ${valueText(each)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Number.isSafeInteger(value) ? String(value) : value.toExponential();
}
