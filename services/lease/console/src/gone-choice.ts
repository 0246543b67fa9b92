import { t } from "./words/gone-choice.ts";

/** What can be chosen, and what was chosen in a draft though it is not there any more: a select would show another one instead. */
export const withGone = (choices: readonly string[], chosen: string) =>
  chosen === "" || choices.includes(chosen)
    ? choices
    : [...choices, { value: chosen, label: t.gone(chosen) }];
