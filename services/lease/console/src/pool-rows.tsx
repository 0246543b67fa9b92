import { Button, Fieldset, Group, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useRef } from "react";
import { AddButton } from "./add-button.tsx";
import type { useRowKeys } from "./row-keys.ts";
import { thenFocus } from "./then-focus.ts";
import { t } from "./words/subnets.ts";

export interface PoolField<Key extends string> {
  readonly key: Key;
  readonly label: string;
  readonly placeholder?: string;
  readonly isNumber?: boolean;
  /** What people wrote, rather than addresses. */
  readonly isText?: boolean;
}

/** The pools of a subnet, of addresses or of prefixes: a group of fields for each, and a button that adds one. */
export function PoolRows<Key extends string, Draft extends Readonly<Record<Key, string>>>(props: {
  pools: readonly Draft[];
  onChange: (pools: readonly Draft[]) => void;
  blank: Draft;
  fields: ReadonlyArray<PoolField<Key>>;
  rows: ReturnType<typeof useRowKeys>;
  /** What is wrong with the fields of each. */
  problems: ReadonlyArray<Readonly<Partial<Record<Key, string | undefined>>>>;
  legend: (number: number) => string;
  remove: (number: number) => string;
  add: string;
}) {
  const { pools, onChange, blank, fields, rows, problems, legend, remove, add } = props;
  const adder = useRef<HTMLButtonElement>(null);
  const change = (at: number, key: Key, value: string) => {
    rows.changed();
    onChange(pools.map((pool, index) => (index === at ? { ...pool, [key]: value } : pool)));
  };
  return (
    <Stack>
      {pools.map((pool, index) => (
        <Fieldset key={rows.keys[index]} legend={legend(index + 1)}>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {fields.map(({ key, label, placeholder, isNumber, isText }) => (
              <TextInput
                key={key}
                label={label}
                error={problems[index]?.[key]}
                {...(placeholder === undefined ? {} : { placeholder })}
                {...(isNumber ? { inputMode: "numeric" } : {})}
                dir={isText ? "auto" : "ltr"}
                spellCheck={false}
                value={pool[key]}
                onChange={(event) => change(index, key, event.currentTarget.value)}
              />
            ))}
          </SimpleGrid>
          <Group justify="flex-end" mt="sm">
            <Button
              size="xs"
              variant="light"
              color="red"
              aria-label={remove(index + 1)}
              onClick={() =>
                thenFocus(adder, () => {
                  rows.removed(index);
                  onChange(pools.toSpliced(index, 1));
                })
              }
            >
              {t.remove}
            </Button>
          </Group>
        </Fieldset>
      ))}
      <AddButton
        ref={adder}
        action={add}
        onClick={() => {
          rows.added();
          onChange([...pools, blank]);
        }}
      />
    </Stack>
  );
}
