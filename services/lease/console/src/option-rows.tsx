import { ActionIcon, Button, Group, Stack, TextInput } from "@mantine/core";
import { Cross2Icon, PlusIcon } from "@radix-ui/react-icons";
import type { OptionRow } from "./config-values.ts";
import { t } from "./words/settings-fields.ts";

/** DHCP options by name, each with its value as one writes it. */
export function OptionRows(props: { rows: readonly OptionRow[]; onChange: (rows: OptionRow[]) => void }) {
  const { rows, onChange } = props;
  const change = (at: number, part: Partial<OptionRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <Stack gap="xs">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place while its name is typed
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={index === 0 ? t.option : undefined}
            aria-label={t.optionNumber(index + 1)}
            flex={1}
            miw={0}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            value={row.name}
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
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t.removeOption(row.name || String(index + 1))}
            onClick={() => onChange(rows.filter((_, place) => place !== index))}
          >
            <Cross2Icon aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<PlusIcon aria-hidden />}
          onClick={() => onChange([...rows, { name: "", value: "" }])}
        >
          {t.addAnOption}
        </Button>
      </Group>
    </Stack>
  );
}
