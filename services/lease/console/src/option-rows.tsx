import { ActionIcon, Input, Stack, TextInput } from "@mantine/core";
import { Cross2Icon } from "@radix-ui/react-icons";
import { useRef } from "react";
import { AddButton } from "./add-button.tsx";
import classes from "./option-rows.module.css";
import { isNameless, isTwice, type OptionRow } from "./option-values.ts";
import { thenFocus } from "./then-focus.ts";
import { t } from "./words/settings-fields.ts";

/** DHCP options by name, each with its value as one writes it. */
export function OptionRows(props: {
  rows: readonly OptionRow[];
  onChange: (rows: OptionRow[]) => void;
  /** What is wrong with the value of each. */
  problems: ReadonlyArray<string | undefined>;
}) {
  const { rows, onChange, problems } = props;
  const adder = useRef<HTMLButtonElement>(null);
  const change = (at: number, part: Partial<OptionRow>) =>
    onChange(rows.map((row, index) => (index === at ? { name: row.name, value: row.value, ...part } : row)));
  return (
    <Stack gap="xs">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place while its name is typed
        <div key={index} className={classes.row}>
          <TextInput
            label={index === 0 ? t.option : undefined}
            aria-label={t.optionNumber(index + 1)}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            value={row.name}
            error={(isTwice(rows, index) && t.optionTwice) || (isNameless(row) && t.optionNameless)}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
          />
          <TextInput
            label={index === 0 ? t.value : undefined}
            aria-label={t.valueNumber(index + 1)}
            className={classes.value}
            dir="auto"
            spellCheck={false}
            autoComplete="off"
            value={row.value}
            error={!isTwice(rows, index) && problems[index]}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          {/* As high as the fields beside it, whose first ones have a label. */}
          <Input.Wrapper label={index === 0 && "\u00a0"} labelProps={{ "aria-hidden": true }}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="input-sm"
              display="flex"
              aria-label={t.removeOption(row.name || String(index + 1))}
              onClick={() => thenFocus(adder, () => onChange(rows.filter((_, place) => place !== index)))}
            >
              <Cross2Icon aria-hidden />
            </ActionIcon>
          </Input.Wrapper>
        </div>
      ))}
      <AddButton
        ref={adder}
        action={t.addAnOption}
        onClick={() => onChange([...rows, { name: "", value: "" }])}
      />
    </Stack>
  );
}
