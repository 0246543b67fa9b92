import {
  ActionForm,
  ChangedElsewhere,
  CodeEditorSkeleton,
  count,
  DiscardButton,
  filled,
  lazyPage,
  listed,
  Section,
  sentenceOf,
  tellDone,
  useUnsaved,
} from "@frontdesk/ui";
import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { call } from "./api.ts";
import { ConfigReplay } from "./config-replay.tsx";
import { CONFIG_CHANGES } from "./config-trial.tsx";
import { changed } from "./session.ts";
import { withTypedWords } from "./typed-confirm.tsx";
import { t as words } from "./words/preview.ts";
import { t } from "./words/settings.ts";

const CodeEditor = lazyPage(() => import("@frontdesk/ui/code-editor").then((part) => part.CodeEditor));
const DiffView = lazyPage(() => import("@frontdesk/ui/diff-view").then((part) => part.DiffView));

/** How long nobody types before the text is checked. */
const CHECK_AFTER_MS = 400;
const NO_MARKS: readonly never[] = [];
const LENGTHS = Object.entries(t.tryLengths).map(([value, label]) => ({ value, label }));

/** The configuration file itself: checked while one types, compared before it is saved. */
export function ConfigText({ text, version }: { text: string; version: string }) {
  const draft = useUnsaved(
    "lease-configuration",
    { value: text, version },
    // The file has the engine's token and the DNS server's key.
    { isSecret: true },
  );
  const [seconds, setSeconds] = useState("60");
  const [replayed, setReplayed] = useState<string>();
  const [checkedText] = useDebouncedValue(draft.value, CHECK_AFTER_MS);
  const check = useQuery({
    queryKey: ["config-check", checkedText],
    queryFn: () => call("POST /config/check", { text: checkedText }),
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const isChecked = checkedText === draft.value && !check.isPlaceholderData && check.data !== undefined;
  const save = async (confirmWithin?: number) => {
    const written = draft.value;
    const applied = await withTypedWords((query) =>
      call("PUT /config", {
        text: written,
        ifMatch: `"${draft.base}"`,
        query: confirmWithin === undefined ? query : { ...query, confirm_within: confirmWithin },
      }),
    );
    draft.saved(written, { version: applied.version });
    await changed(...CONFIG_CHANGES);
    if (applied.trial === null)
      tellDone(applied.restart.length > 0 ? t.isSavedRestart(listed(applied.restart)) : t.isSaved);
  };
  const hasMistakes = check.data?.ok === false;
  // Whoever saves before the check has come is told by the save itself what is wrong.
  const isSavable = draft.isDirty && !draft.isOutdated && !(isChecked && hasMistakes);
  const isReady = isSavable && isChecked;
  return (
    <Section title={t.configuration}>
      <ActionForm
        action={t.save}
        onSubmit={() => save()}
        disabled={!isSavable}
        hint={hasMistakes ? t.hasMistakes : undefined}
        beside={draft.isDirty && <DiscardButton onDiscard={draft.discard}>{t.discard}</DiscardButton>}
      >
        {draft.isOutdated && (
          <ChangedElsewhere
            what={t.configuration}
            difference={
              <Suspense>
                <DiffView label={t.whatKeepingYoursChanges} before={text} after={draft.value} />
              </Suspense>
            }
            onTakeTheirs={draft.discard}
            onKeepMine={draft.rebase}
          />
        )}
        <Suspense
          fallback={<CodeEditorSkeleton label={t.configurationText} minLines={20} value={draft.value} />}
        >
          <CodeEditor
            label={t.configurationText}
            language="toml"
            minLines={20}
            value={draft.value}
            marks={check.data?.problems ?? NO_MARKS}
            onChange={draft.set}
          />
        </Suspense>
        {check.error && (
          <Group gap="sm">
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {filled(t.couldNotBeChecked, { why: sentenceOf(check.error) })}
            </Text>
            <Button size="xs" variant="default" onClick={() => void check.refetch()}>
              {t.tryAgain}
            </Button>
          </Group>
        )}
        {isChecked && check.data?.ok && (
          <Text size="sm" c="dimmed" role="status">
            {filled(t.right, {
              subnets: count(check.data.subnets ?? 0, t.subnets),
              addresses: count(check.data.addresses ?? 0, t.addresses),
            })}
          </Text>
        )}
        {draft.isDirty && !draft.isOutdated && !hasMistakes && (
          <Stack gap={4}>
            <Text size="sm" fw={550}>
              {t.compareFirst}
            </Text>
            <Suspense>
              <DiffView label={t.compareFirst} before={text} after={draft.value} />
            </Suspense>
            {isReady && replayed === draft.value ? (
              <ConfigReplay text={replayed} />
            ) : (
              <Group>
                <Button
                  size="xs"
                  variant="default"
                  disabled={!isReady}
                  onClick={() => setReplayed(draft.value)}
                >
                  {words.replay}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </ActionForm>
      <ActionForm action={t.tryIt} onSubmit={() => save(Number(seconds))} disabled={!isSavable}>
        <Group gap="sm" align="flex-end">
          <NativeSelect
            label={t.tryFor}
            data={LENGTHS}
            value={seconds}
            onChange={(event) => setSeconds(event.currentTarget.value)}
          />
          <Text size="sm" c="dimmed" maw="32rem">
            {t.aboutTrying}
          </Text>
        </Group>
      </ActionForm>
    </Section>
  );
}
