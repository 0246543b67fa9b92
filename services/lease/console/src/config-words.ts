import { tableOf, textOf, type Values } from "./config-values.ts";
import type { OptionRow } from "./option-values.ts";
import { t } from "./words/settings-fields.ts";

export const optionsInWords = (rows: readonly OptionRow[]) =>
  rows.map(({ name, value }) => [t.optionNamed(name), value] as const);

/** Keys that a form does not show, for whoever compares two versions. */
export const restInWords = (rest: Values): string[] =>
  Object.entries(rest).flatMap(([key, value]) => {
    const name = t.fields[key] ?? key;
    const inside = Object.entries(tableOf(value));
    return inside.length > 0
      ? inside.map(([option, each]) => `${t.optionNamed(option)}: ${textOf(each)}`)
      : [`${name}: ${textOf(value)}`];
  });
