import { ActionIcon, Group, Stack, TextInput } from "@mantine/core";
import { Cross2Icon } from "@radix-ui/react-icons";
import { useRef } from "react";
import { AddButton } from "./add-button.tsx";
import { isTwice, type OptionRow } from "./option-values.ts";
import { thenFocus } from "./then-focus.ts";
import { t } from "./words/settings-fields.ts";

/** DHCP options by name, each with its value as one writes it. */
export function OptionRows(props: {
  rows: readonly OptionRow[];
  onChange: (rows: OptionRow[]) => void;
  /** What is wrong with the value of an option. */
  problem: (name: string) => string | undefined;
}) {
  const { rows, onChange, problem } = props;
  const adder = useRef<HTMLButtonElement>(null);
  const change = (at: number, part: Partial<OptionRow>) =>
    onChange(rows.map((row, index) => (index === at ? { name: row.name, value: row.value, ...part } : row)));
  return (
    <Stack gap="xs">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place while its name is typed
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            label={index === 0 ? t.option : undefined}
            aria-label={t.optionNumber(index + 1)}
            flex={1}
            miw={0}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            value={row.name}
            error={isTwice(rows, index) && t.optionTwice}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
          />
          <TextInput
            label={index === 0 ? t.value : undefined}
            aria-label={t.valueNumber(index + 1)}
            flex={2}
            miw={0}
            dir="auto"
            spellCheck={false}
            autoComplete="off"
            value={row.value}
            error={row.name.trim() !== "" && !isTwice(rows, index) && problem(row.name.trim())}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t.removeOption(row.name || String(index + 1))}
            mt={index === 0 ? "calc(var(--mantine-font-size-sm) * 1.55)" : 0}
            onClick={() => thenFocus(adder, () => onChange(rows.filter((_, place) => place !== index)))}
          >
            <Cross2Icon aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <AddButton
        ref={adder}
        action={t.addAnOption}
        onClick={() => onChange([...rows, { name: "", value: "" }])}
      />
    </Stack>
  );
}
