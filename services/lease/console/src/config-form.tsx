import { ActionForm, ChangedElsewhere, DiscardButton, FieldDifferences, type Unsaved } from "@frontdesk/ui";
import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ConfigPreview } from "./config-preview.tsx";
import type { Values } from "./config-values.ts";
import { showApplied, writeConfig } from "./config-write.ts";
import { t as words } from "./words/preview.ts";
import { t } from "./words/settings-fields.ts";

export type ProblemAt = (...path: ReadonlyArray<string | number>) => string | undefined;

/** The engine names the key of the file; beside its field, everybody sees which one is meant. */
function atField(words: string | undefined, path: readonly unknown[]): string | undefined {
  const key = `${path.at(-1)} `;
  const rest = words?.startsWith(key) ? words.slice(key.length) : words;
  return rest && rest.slice(0, 1).toUpperCase() + rest.slice(1);
}

/** A JSON pointer (RFC 6901) into what is sent. */
const pointerTo = (path: ReadonlyArray<string | number>) =>
  ["#/config", ...path.map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");

/** What is in a form, for people: the name of each value, and the value. */
export type InWords = ReadonlyArray<readonly [name: string, words: string]>;

export const inLines = (values: InWords): string =>
  values
    .filter(([, words]) => words !== "")
    .map(([name, words]) => `${name}: ${words}`)
    .join("\n");

function differences(theirs: InWords, mine: InWords) {
  const [their, my] = [new Map(theirs), new Map(mine)];
  const names = new Set([...their.keys(), ...my.keys()]);
  return [...names].map((name) => ({ name, theirs: their.get(name) ?? "", mine: my.get(name) ?? "" }));
}

/** A form over a part of the configuration: saved on the version it was begun on, or the person is asked. */
export function ConfigForm<T extends object>(props: {
  draft: Unsaved<T>;
  stored: T;
  what: string;
  inWords: (value: T) => InWords;
  /** All of the configuration as this form would make it. */
  wanted: () => Values;
  /** Called when it is sent. */
  onSend?: () => void;
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
  const {
    draft,
    stored,
    what,
    inWords,
    wanted,
    onSend,
    after,
    action,
    over,
    beside,
    isReady = true,
    children,
  } = props;
  const [previewed, setPreviewed] = useState(false);
  const isPreviewed = previewed && draft.isDirty && !draft.isOutdated && isReady;
  return (
    <>
      <ActionForm
        action={action ?? t.save}
        disabled={(!draft.isDirty && over === undefined) || draft.isOutdated || !isReady}
        onSubmit={async () => {
          const written = draft.value;
          onSend?.();
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
        {(problem) => (
          <>
            {draft.isOutdated && (
              <ChangedElsewhere
                what={what}
                difference={<FieldDifferences fields={differences(inWords(stored), inWords(draft.value))} />}
                onTakeTheirs={draft.discard}
                onKeepMine={draft.rebase}
              />
            )}
            {children((...path) => atField(problem(pointerTo(path)), path))}
          </>
        )}
      </ActionForm>
      {isPreviewed && <ConfigPreview values={wanted()} />}
    </>
  );
}
