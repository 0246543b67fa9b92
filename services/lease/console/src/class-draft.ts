import { textOf, typedValue, type Values, withKeys } from "./config-values.ts";
import { optionsInWords, restInWords } from "./config-words.ts";
import { type OptionRow, optionRows, optionsOf, type TypeOf } from "./option-values.ts";
import { t } from "./words/settings-fields.ts";

export interface ClassDraft {
  readonly name: string;
  readonly match: string;
  readonly default_time: string;
  readonly options: readonly OptionRow[];
  /** The keys that the form does not show. They go with the class, whatever its name is by then. */
  readonly rest: Values;
}

export const NEW_CLASS: ClassDraft = { name: "", match: "", default_time: "", options: [], rest: {} };

export const classDraft = (stored: Values, typeOf: TypeOf): ClassDraft => {
  const { name, match, default_time, options, ...rest } = stored;
  return {
    name: textOf(name),
    match: textOf(match),
    default_time: textOf(default_time),
    options: optionRows(options, typeOf),
    rest,
  };
};

export const classOf = (typed: ClassDraft, typeOf: TypeOf): Values =>
  withKeys(typed.rest, {
    name: typed.name.trim(),
    match: typed.match.trim(),
    default_time: typedValue(typed.default_time, "number"),
    options: optionsOf(typed.options, typeOf),
  });

export const classInWords = ({ name, match, default_time, options, rest }: ClassDraft) =>
  [
    t.classNumber(name),
    [
      match,
      default_time && `${t.fields.default_time}: ${default_time}`,
      ...optionsInWords(options).map(([option, value]) => `${option}: ${value}`),
      ...restInWords(rest),
    ]
      .filter(Boolean)
      .join("; "),
  ] as const;
