import { ActionForm, ChangedElsewhere, FieldDifferences, type Unsaved } from "@frontdesk/ui";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { type Applied, showApplied } from "./config-values.ts";
import { t } from "./words/settings-fields.ts";

/** A form over a part of the configuration: saved on the version it was begun on, or the person is asked. */
export function ConfigForm<T extends object>(props: {
  draft: Unsaved<T>;
  stored: T;
  what: string;
  onSave: () => Promise<Applied>;
  after?: () => void;
  beside?: ReactNode;
  isReady?: boolean;
  children: ReactNode;
}) {
  const { draft, stored, what, onSave, after, beside, isReady = true, children } = props;
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
        action={t.save}
        disabled={!draft.isDirty || draft.isOutdated || !isReady}
        onSubmit={async () => {
          const written = draft.value;
          const applied = await onSave();
          draft.saved(written);
          after?.();
          await showApplied(applied);
        }}
        beside={
          <>
            {draft.isDirty && (
              <Button variant="default" onClick={draft.discard}>
                {t.discard}
              </Button>
            )}
            {beside}
          </>
        }
      >
        {children}
      </ActionForm>
    </>
  );
}
