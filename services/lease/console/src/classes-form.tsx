import { Section, useUnsaved } from "@frontdesk/ui";
import { Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useRef } from "react";
import { AddButton } from "./add-button.tsx";
import { type ClassDraft, classDraft, classInWords, classOf, NEW_CLASS } from "./class-draft.ts";
import { ConfigForm } from "./config-form.tsx";
import { tablesOf, type Values, withKeys } from "./config-values.ts";
import { OptionRows } from "./option-rows.tsx";
import { areWritable, optionTypes } from "./option-values.ts";
import { useRowKeys } from "./row-keys.ts";
import { thenFocus } from "./then-focus.ts";
import { t } from "./words/settings-fields.ts";

export function ClassesForm({ config, version }: { config: Values; version: string }) {
  const typeOf = optionTypes(config);
  const stored = { classes: tablesOf(config.class).map((each) => classDraft(each, typeOf)) };
  const draft = useUnsaved<{ classes: readonly ClassDraft[] }>("lease-classes", {
    value: stored,
    version,
  });
  const { classes } = draft.value;
  const adder = useRef<HTMLButtonElement>(null);
  const rows = useRowKeys(
    classes.map(({ name }) => name),
    draft.isDirty,
  );
  const set = (next: readonly ClassDraft[]) => draft.set({ classes: next });
  const change = (at: number, part: Partial<ClassDraft>) => {
    rows.changed();
    set(classes.map((each, index) => (index === at ? { ...each, ...part } : each)));
  };
  const wanted = () => {
    const next = classes.map((each) => classOf(each, typeOf));
    return withKeys(config, { class: next.length > 0 ? next : undefined });
  };
  return (
    <Section title={t.classes} about={t.aboutClasses}>
      <ConfigForm
        draft={draft}
        stored={stored}
        what={t.classes}
        inWords={(value) => value.classes.map(classInWords)}
        wanted={wanted}
        onSend={rows.sent}
        isReady={classes.every(({ options }) => areWritable(options))}
      >
        {(problem) => (
          <Stack>
            {classes.length === 0 && (
              <Text size="sm" c="dimmed">
                {t.noClasses}
              </Text>
            )}
            {classes.map((each, index) => (
              <Fieldset key={rows.keys[index]} legend={t.classNumber(each.name || String(index + 1))}>
                <Stack>
                  <SimpleGrid cols={{ base: 1, sm: 3 }}>
                    <TextInput
                      label={t.className}
                      error={problem("class", rows.placeSent(index), "name")}
                      value={each.name}
                      dir="auto"
                      onChange={(event) => change(index, { name: event.currentTarget.value })}
                    />
                    <TextInput
                      label={t.match}
                      error={problem("class", rows.placeSent(index), "match")}
                      placeholder={t.matchExample}
                      value={each.match}
                      dir="ltr"
                      spellCheck={false}
                      onChange={(event) => change(index, { match: event.currentTarget.value })}
                    />
                    <TextInput
                      label={t.fields.default_time}
                      error={problem("class", rows.placeSent(index), "default_time")}
                      placeholder={t.engineDefault}
                      inputMode="numeric"
                      value={each.default_time}
                      onChange={(event) => change(index, { default_time: event.currentTarget.value })}
                    />
                  </SimpleGrid>
                  <OptionRows
                    rows={each.options}
                    onChange={(options) => change(index, { options })}
                    problems={each.options.map(({ name }) =>
                      problem("class", rows.placeSent(index), "options", name.trim()),
                    )}
                  />
                  <Group justify="flex-end">
                    <Button
                      size="xs"
                      variant="light"
                      color="red"
                      aria-label={t.removeClass(each.name || String(index + 1))}
                      onClick={() =>
                        thenFocus(adder, () => {
                          rows.removed(index);
                          set(classes.toSpliced(index, 1));
                        })
                      }
                    >
                      {t.remove}
                    </Button>
                  </Group>
                </Stack>
              </Fieldset>
            ))}
            <AddButton
              ref={adder}
              action={t.addAClass}
              onClick={() => {
                rows.added();
                set([...classes, NEW_CLASS]);
              }}
            />
          </Stack>
        )}
      </ConfigForm>
    </Section>
  );
}
