import { OPTION_CODES, OPTIONS } from "@frontdesk/lease-options/option-table";
import { bytes, CUSTOM_TYPES, type OptionType } from "@frontdesk/lease-options/option-types";
import { OPTION6_CODES, OPTIONS6 } from "@frontdesk/lease-options/option6-table";
import { CUSTOM_TYPES6 } from "@frontdesk/lease-options/option6-types";
import { partsOf, tableOf, tablesOf, textOf, type Values } from "./config-values.ts";

export interface OptionRow {
  readonly name: string;
  readonly value: string;
  /** What is stored, where its text would be read as something else; it counts until the row is touched. */
  readonly kept?: unknown;
}

/** What an option of this name takes; undefined where there is no such option. */
export type TypeOf = (name: string) => OptionType | undefined;

/** The types of all options: those that are known, and those that the configuration defines. */
export function optionTypes(config: Values, family: "v4" | "v6" = "v4"): TypeOf {
  const isV6 = family === "v6";
  const [codes, table] = isV6 ? [OPTION6_CODES, OPTIONS6] : [OPTION_CODES, OPTIONS];
  const [defined, types] = isV6 ? [config.option6, CUSTOM_TYPES6] : [config.option, CUSTOM_TYPES];
  return (name) => {
    const custom = tablesOf(defined).find((each) => each.name === name || textOf(each.code) === name);
    if (custom) return types[textOf(custom.type)];
    const code = /^\d+$/.test(name) ? Number(name) : codes.get(name);
    return code === undefined ? undefined : (table[code]?.type ?? bytes);
  };
}

export const optionRows = (options: unknown, typeOf: TypeOf): OptionRow[] =>
  Object.entries(tableOf(options)).map(([name, stored]) => {
    const value = textOf(stored);
    const isSame = JSON.stringify(optionValue(value, typeOf(name))) === JSON.stringify(stored);
    return isSame ? { name, value } : { name, value, kept: stored };
  });

/** Whether an option is named in an earlier row already. */
export const isTwice = (rows: readonly OptionRow[], at: number): boolean => {
  const name = rows[at]?.name.trim();
  return name !== "" && rows.findIndex((row) => row.name.trim() === name) < at;
};

/** Whether a value was typed for an option that has no name. */
export const isNameless = ({ name, value }: OptionRow): boolean => name.trim() === "" && value.trim() !== "";

/** Whether each row can be written as it is. */
export const areWritable = (rows: readonly OptionRow[]): boolean =>
  !rows.some((row, at) => isTwice(rows, at) || isNameless(row));

/** Options from what was typed; undefined where there is none. */
export function optionsOf(rows: readonly OptionRow[], typeOf: TypeOf): Values | undefined {
  const entries = rows.flatMap(({ name, value, kept }) => {
    const key = name.trim();
    return key === "" ? [] : [[key, kept ?? optionValue(value, typeOf(key))] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/**
 * What a text stands for in an option of this type: 12345 is a text in `domain_name`, and a number in `interface_mtu`. A text
 * that fits in no way stays one, and is refused.
 */
function optionValue(typed: string, type: OptionType | undefined): unknown {
  const text = typed.trim();
  const parts = partsOf(text);
  const readings = [text, jsonOf(text), parts, numberOf(text), booleanOf(text), parts.map(numberOf)];
  return readings.find((value) => value !== undefined && type !== undefined && isFit(value, type)) ?? text;
}

const numberOf = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : undefined);
const booleanOf = (text: string) => (text === "true" ? true : text === "false" ? false : undefined);

function jsonOf(text: string): unknown {
  try {
    return /^[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function isFit(value: unknown, type: OptionType): boolean {
  try {
    type.write(value);
    return true;
  } catch {
    return false;
  }
}
