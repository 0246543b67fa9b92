/** A table of the configuration. What a form does not know of it stays as it is. */
export type Values = Readonly<Record<string, unknown>>;

export const tableOf = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};

export const tablesOf = (value: unknown): readonly Values[] =>
  Array.isArray(value) ? (value as readonly Values[]) : [];

/** A value as one types it: lists with commas. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && isPlain(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Whether a list can be typed with commas: otherwise it is written as in the file. */
const isPlain = (list: readonly unknown[]) => {
  const parts = partsOf(list.join(", "));
  return (
    parts.length === list.length &&
    list.every((each, at) => typeof each !== "object" && String(each) === parts[at])
  );
};

export type Kind = "text" | "secret" | "number" | "list" | "boolean" | "choice";

/** What was typed, as the value it stands for; undefined: the key is left out. */
export function typedValue(text: string, kind: Kind): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (kind === "list") return listIn(trimmed) ?? partsOf(trimmed);
  if (kind === "boolean") return trimmed === "true";
  return kind === "number" && /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** A list as it is written in the file. */
function listIn(text: string): unknown[] | undefined {
  try {
    const value: unknown = text.startsWith("[") ? JSON.parse(text) : undefined;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const partsOf = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** A table with some keys changed; undefined leaves a key out. */
export const withKeys = (before: Values, changes: Values): Values =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== undefined));
