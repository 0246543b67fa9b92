import { ActionForm, ChangedElsewhere, DiscardButton, FieldDifferences, type Unsaved } from "@frontdesk/ui";
import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ConfigPreview } from "./config-preview.tsx";
import { showApplied, type Values, writeConfig } from "./config-values.ts";
import { t as words } from "./words/preview.ts";
import { t } from "./words/settings-fields.ts";

export type ProblemAt = (...path: ReadonlyArray<string | number>) => string | undefined;

/** The engine names the key of the file; beside its field, everybody sees which one is meant. */
function atField(words: string | undefined, path: readonly unknown[]): string | undefined {
  const key = `${path.at(-1)} `;
  if (!words?.startsWith(key)) return words;
  const rest = words.slice(key.length);
  return rest.slice(0, 1).toUpperCase() + rest.slice(1);
}

/** A form over a part of the configuration: saved on the version it was begun on, or the person is asked. */
export function ConfigForm<T extends object>(props: {
  draft: Unsaved<T>;
  stored: T;
  what: string;
  /** All of the configuration as this form would make it. */
  wanted: () => Values;
  /** Called as soon as it is written; what was typed meanwhile is a draft still. */
  after?: (written: T) => void;
  /** The words on the button, where it does something else than to save. */
  action?: string;
  /** The version that it is written over, where that is not the one that the edit is based on. */
  over?: string;
  beside?: ReactNode;
  isReady?: boolean;
  /** The fields; the function is told where the value of a field is in the configuration, and tells what is wrong with it. */
  children: (problem: ProblemAt) => ReactNode;
}) {
  const { draft, stored, what, wanted, after, action, over, beside, isReady = true, children } = props;
  const [previewed, setPreviewed] = useState(false);
  const isPreviewed = previewed && draft.isDirty && !draft.isOutdated && isReady;
  const shown = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return (
    <>
      {draft.isOutdated && (
        <ChangedElsewhere
          what={what}
          difference={
            <FieldDifferences
              fields={Object.keys(stored).map((key) => ({
                name: t.fields[key] ?? key,
                theirs: shown(stored[key as keyof T]),
                mine: shown(draft.value[key as keyof T]),
              }))}
            />
          }
          onTakeTheirs={draft.discard}
          onKeepMine={draft.rebase}
        />
      )}
      <ActionForm
        action={action ?? t.save}
        disabled={(!draft.isDirty && over === undefined) || draft.isOutdated || !isReady}
        onSubmit={async () => {
          const written = draft.value;
          const applied = await writeConfig(wanted(), over ?? draft.base);
          draft.saved(written, { version: applied.version });
          setPreviewed(false);
          after?.(written);
          await showApplied(applied);
        }}
        beside={
          <>
            {draft.isDirty && (
              <>
                <Button
                  variant="default"
                  aria-expanded={isPreviewed}
                  disabled={draft.isOutdated || !isReady}
                  onClick={() => setPreviewed(!isPreviewed)}
                >
                  {words.preview}
                </Button>
                {over === undefined && <DiscardButton onDiscard={draft.discard}>{t.discard}</DiscardButton>}
              </>
            )}
            {beside}
          </>
        }
      >
        {(problem) => children((...path) => atField(problem(["#/config", ...path].join("/")), path))}
      </ActionForm>
      {isPreviewed && <ConfigPreview values={wanted()} />}
    </>
  );
}
