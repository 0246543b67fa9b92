import { Section, useUnsaved } from "@frontdesk/ui";
import { Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useRef } from "react";
import { AddButton } from "./add-button.tsx";
import { ConfigForm } from "./config-form.tsx";
import {
  isOptionTwice,
  type OptionRow,
  optionRows,
  optionsOf,
  tablesOf,
  textOf,
  typedValue,
  type Values,
  withKeys,
} from "./config-values.ts";
import { OptionRows } from "./option-rows.tsx";
import { thenFocus } from "./then-focus.ts";
import { t } from "./words/settings-fields.ts";

interface ClassDraft {
  /** What it is called in the configuration, null for a new one; keys that the form does not know come from there. */
  readonly stored: string | null;
  readonly name: string;
  readonly match: string;
  readonly default_time: string;
  readonly options: readonly OptionRow[];
}

const NEW: ClassDraft = { stored: null, name: "", match: "", default_time: "", options: [] };

export function ClassesForm({ config, version }: { config: Values; version: string }) {
  const before = tablesOf(config.class);
  const stored = { classes: before.map(draftOf) };
  const draft = useUnsaved<{ classes: readonly ClassDraft[] }>("lease-settings:classes", {
    value: stored,
    version,
  });
  const { classes } = draft.value;
  const adder = useRef<HTMLButtonElement>(null);
  const set = (next: readonly ClassDraft[]) => draft.set({ classes: next });
  const change = (at: number, part: Partial<ClassDraft>) =>
    set(classes.map((each, index) => (index === at ? { ...each, ...part } : each)));
  const wanted = () => {
    const next = classes.map((each) => written(each, before.find(({ name }) => name === each.stored) ?? {}));
    return withKeys(config, { class: next.length > 0 ? next : undefined });
  };
  return (
    <Section title={t.classes} about={t.aboutClasses}>
      <ConfigForm
        draft={draft}
        stored={stored}
        what={t.classes}
        wanted={wanted}
        isReady={!classes.some(({ options }) => isOptionTwice(options))}
      >
        {(problem) => (
          <Stack>
            {classes.length === 0 && (
              <Text size="sm" c="dimmed">
                {t.noClasses}
              </Text>
            )}
            {classes.map((each, index) => (
              // A new one is known by its place while its name is typed.
              <Fieldset key={each.stored ?? index} legend={t.classNumber(each.name || String(index + 1))}>
                <Stack>
                  <SimpleGrid cols={{ base: 1, sm: 3 }}>
                    <TextInput
                      label={t.className}
                      error={problem("class", index, "name")}
                      value={each.name}
                      dir="auto"
                      onChange={(event) => change(index, { name: event.currentTarget.value })}
                    />
                    <TextInput
                      label={t.match}
                      error={problem("class", index, "match")}
                      placeholder={t.matchExample}
                      value={each.match}
                      dir="ltr"
                      spellCheck={false}
                      onChange={(event) => change(index, { match: event.currentTarget.value })}
                    />
                    <TextInput
                      label={t.fields.default_time}
                      error={problem("class", index, "default_time")}
                      placeholder={t.engineDefault}
                      inputMode="numeric"
                      value={each.default_time}
                      onChange={(event) => change(index, { default_time: event.currentTarget.value })}
                    />
                  </SimpleGrid>
                  <OptionRows
                    rows={each.options}
                    onChange={(options) => change(index, { options })}
                    problem={(name) => problem("class", index, "options", name)}
                  />
                  <Group justify="flex-end">
                    <Button
                      size="xs"
                      variant="light"
                      color="red"
                      aria-label={t.removeClass(each.name || String(index + 1))}
                      onClick={() =>
                        thenFocus(adder, () => set(classes.filter((_, place) => place !== index)))
                      }
                    >
                      {t.remove}
                    </Button>
                  </Group>
                </Stack>
              </Fieldset>
            ))}
            <AddButton ref={adder} action={t.addAClass} onClick={() => set([...classes, NEW])} />
          </Stack>
        )}
      </ConfigForm>
    </Section>
  );
}

const draftOf = (values: Values): ClassDraft => ({
  stored: textOf(values.name),
  name: textOf(values.name),
  match: textOf(values.match),
  default_time: textOf(values.default_time),
  options: optionRows(values.options),
});

const written = ({ name, match, default_time, options }: ClassDraft, before: Values): Values =>
  withKeys(before, {
    name: name.trim(),
    match: match.trim(),
    default_time: typedValue(default_time, "number"),
    options: optionsOf(options, before.options),
  });
