import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import type { Status } from "./shapes.ts";
import { t } from "./words/frame.ts";

interface Choice {
  readonly value: string;
  readonly label: string;
}

export const statusChoices = (statuses: readonly Status[]): Choice[] =>
  statuses.map(({ key, label, emoji }) => ({ value: key, label: `${emoji} ${label}` }));

/** What is chosen as long as it is there to be chosen, else nothing. */
export const stillThere = (choices: readonly Choice[], chosen: string): string =>
  choices.some(({ value }) => value === chosen) ? chosen : "";

/** A select that shows what is chosen and nothing else: where that was removed meanwhile, one is asked to choose again. */
export function ChoiceSelect({
  choices,
  value,
  ...props
}: Omit<NativeSelectProps, "data" | "value"> & { choices: readonly Choice[]; value: string }) {
  const chosen = stillThere(choices, value);
  const data =
    chosen === "" ? [{ value: "", label: t.chooseAgain, disabled: true }, ...choices] : [...choices];
  return <NativeSelect {...props} data={data} value={chosen} />;
}
