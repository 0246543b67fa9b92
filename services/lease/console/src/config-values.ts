import { OPTION_CODES, OPTIONS } from "@frontdesk/lease-options/option-table";
import type { OptionType } from "@frontdesk/lease-options/option-types";
import { OPTION6_CODES, OPTIONS6 } from "@frontdesk/lease-options/option6-table";
import { listed, tellDone } from "@frontdesk/ui";
import { call } from "./api.ts";
import { CONFIG_CHANGES } from "./config-trial.tsx";
import { changed } from "./session.ts";
import { withTypedWords } from "./typed-confirm.tsx";
import { t } from "./words/settings.ts";

/** A table of the configuration. What a form does not know of it stays as it is. */
export type Values = Readonly<Record<string, unknown>>;

export const tableOf = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};

export const tablesOf = (value: unknown): readonly Values[] =>
  Array.isArray(value) ? (value as readonly Values[]) : [];

/** A value as one types it: lists with commas. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export type Kind = "text" | "secret" | "number" | "list" | "boolean" | "choice";

/** What was typed, as the value it stands for; undefined: the key is left out. */
export function typedValue(text: string, kind: Kind): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (kind === "list") return partsOf(trimmed);
  if (kind === "boolean") return trimmed === "true";
  return kind === "number" && /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

const partsOf = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export interface OptionRow {
  readonly name: string;
  readonly value: string;
}

export const optionRows = (options: unknown): OptionRow[] =>
  Object.entries(tableOf(options)).map(([name, value]) => ({ name, value: textOf(value) }));

/** Whether an option is named in an earlier row already. */
export const isTwice = (rows: readonly OptionRow[], at: number): boolean => {
  const name = rows[at]?.name.trim();
  return name !== "" && rows.findIndex((row) => row.name.trim() === name) < at;
};
export const isOptionTwice = (rows: readonly OptionRow[]): boolean => rows.some((_, at) => isTwice(rows, at));

/** Options from what was typed. A value nobody touched keeps its form; a list stays one. */
export function optionsOf(rows: readonly OptionRow[], before: unknown): Values | undefined {
  const known = tableOf(before);
  const entries = rows.flatMap(({ name, value }) => {
    const key = name.trim();
    if (key === "") return [];
    const old = known[key];
    return [
      [key, textOf(old) === value && old !== undefined ? old : optionValue(key, value.trim(), old)] as const,
    ];
  });
  return entries.length > 0 || before !== undefined ? Object.fromEntries(entries) : undefined;
}

const typeOf = (name: string): OptionType | undefined =>
  OPTIONS[OPTION_CODES.get(name) ?? Number(name)]?.type ?? OPTIONS6[OPTION6_CODES.get(name) ?? 0]?.type;

/** What a text can stand for, and the option takes: 12345 is a text in `domain_name`, and a number in `interface_mtu`. */
function fitting(name: string, text: string): unknown {
  const type = typeOf(name);
  const parts = partsOf(text);
  const isFit = (value: unknown) => {
    try {
      type?.write(value);
      return type !== undefined;
    } catch {
      return false;
    }
  };
  return [text, parts, Number(text), text === "true", parts.map(Number)].find(isFit);
}

function optionValue(name: string, text: string, old: unknown): unknown {
  if (/^[[{]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  const fit = fitting(name, text);
  if (fit !== undefined) return fit;
  if (Array.isArray(old) || text.includes(",")) return partsOf(text);
  if (/^\d+$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

/** A table with some keys changed; undefined leaves a key out. */
export const withKeys = (before: Values, changes: Values): Values =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== undefined));

/** Makes the configuration say these values, if it is still the one that was edited. */
export const writeConfig = (config: Values, base: string) =>
  withTypedWords((query) =>
    call("PUT /config/full", {
      json: { config: config as Record<string, unknown> },
      ifMatch: `"${base}"`,
      query,
    }),
  );

export type Applied = Awaited<ReturnType<typeof writeConfig>>;

/** After a write: shows what there is now, and says what waits for a restart. */
export async function showApplied({ restart }: Applied): Promise<void> {
  await changed(...CONFIG_CHANGES);
  tellDone(restart.length > 0 ? t.isSavedRestart(listed(restart)) : t.isSaved);
}
