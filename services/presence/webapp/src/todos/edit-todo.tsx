import {
  ActionForm,
  ChangedElsewhere,
  FieldDifferences,
  tellDone,
  tellFailure,
  tellUndoable,
  useUnsaved,
} from "@frontdesk/ui";
import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import { changedFields } from "../changed-fields.ts";
import { useOrg } from "../org.ts";
import type { Project, Todo } from "../shapes.ts";
import { useTypedSince } from "../typed-since.ts";
import { t } from "../words/todos.ts";
import { showTodo } from "./add-todos.tsx";
import { currentOf, type TodoChange, useTodo } from "./use-todo.ts";

interface Edited {
  readonly text: string;
  readonly projectId: string | null;
  readonly externalUrl: string | null;
}

const editedOf = ({ text, projectId, externalUrl }: Todo): Edited => ({ text, projectId, externalUrl });

/** Both versions are kept until somebody has chosen, and either choice can be undone. */
export function EditTodo(props: {
  todo: Todo;
  projects: readonly Project[];
  /** It is stored otherwise than the page knows. */
  renew: (todo: Todo) => void;
  done: () => void;
}) {
  const { todo, projects, renew, done } = props;
  const { org, board } = useOrg();
  const { change } = useTodo(todo);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // The dialog may be there before the files of what it holds. Not at once: first it notes what had the focus before.
    const timer = setTimeout(() => field.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  const stored = editedOf(todo);
  const unsaved = useUnsaved<Edited>(
    `presence ${org} ${board.me.id} todo ${todo.id}`,
    { value: stored, version: String(todo.version) },
    { asksOnLeaving: false },
  );
  // What was not changed here is theirs: only the rest can be in conflict, be kept or be brought back.
  const mine = { ...stored, ...changedFields(unsaved.from, unsaved.value) };
  const changeStored = async (version: string): Promise<Todo> => {
    const json = differing(stored, mine);
    try {
      return await change(json, version);
    } catch (error) {
      const current = currentOf(error);
      if (!current) throw error;
      // A version that changed nothing of what is edited here is no other one.
      if (!changedFields(stored, editedOf(current))) return changeStored(String(current.version));
      // Shown as what is stored, so that both texts can be seen.
      showTodo(org, current);
      renew(current);
      throw error;
    }
  };
  const isTypedSince = useTypedSince(unsaved.value);
  const write = async (version: string, tell: (version: number) => void) => {
    const written = await changeStored(version);
    // Asked before the draft goes: then it is as stored, also in fields that were changed elsewhere.
    const isTyped = isTypedSince();
    unsaved.saved(unsaved.value, { version: String(written.version) });
    tell(written.version);
    if (!isTyped) done();
  };
  const save = () => write(unsaved.base, () => tellDone(t.saved));
  const takeTheirs = () => {
    unsaved.discard();
    const back = differing(stored, mine);
    tellUndoable(t.tookTheirs, todo.id, () => void change(back, todo.version).catch(tellFailure));
    done();
  };
  const keepMine = () =>
    write(String(todo.version), (version) =>
      tellUndoable(t.keptMine, todo.id, () => void change(stored, version).catch(tellFailure)),
    );
  const nameOf = (id: string | null) => projects.find((project) => project.id === id)?.name ?? t.noProject;
  // Out of its project, whoever is not its owner would see it no more.
  const mayTakeOut = todo.memberId === board.me.id || todo.projectId === null;
  const choices = projects.filter(({ archived, id }) => !archived || id === mine.projectId);
  return (
    <ActionForm
      action={t.save}
      onSubmit={save}
      disabled={!mine.text.trim() || !unsaved.isDirty || unsaved.isOutdated}
      beside={
        <Button
          variant="default"
          onClick={() => {
            unsaved.discard();
            done();
          }}
        >
          {t.cancel}
        </Button>
      }
    >
      {(problem) => (
        <>
          {unsaved.isOutdated && (
            <ChangedElsewhere
              what={t.theTodo}
              difference={
                <FieldDifferences
                  fields={[
                    { name: t.text, theirs: stored.text, mine: mine.text },
                    { name: t.project, theirs: nameOf(stored.projectId), mine: nameOf(mine.projectId) },
                    { name: t.link, theirs: stored.externalUrl ?? "", mine: mine.externalUrl ?? "" },
                  ]}
                />
              }
              onTakeTheirs={takeTheirs}
              onKeepMine={keepMine}
            />
          )}
          <Textarea
            label={t.text}
            autosize
            minRows={2}
            maxRows={10}
            dir="auto"
            maxLength={2_000}
            ref={field}
            data-autofocus
            value={mine.text}
            error={problem("text")}
            onChange={({ currentTarget: { value } }) => unsaved.set((before) => ({ ...before, text: value }))}
          />
          <NativeSelect
            label={t.project}
            data={[
              ...(mayTakeOut ? [{ value: "", label: t.noProject }] : []),
              ...choices.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={mine.projectId ?? ""}
            onChange={({ currentTarget: { value } }) =>
              unsaved.set((before) => ({ ...before, projectId: value || null }))
            }
          />
          <TextInput
            label={t.link}
            placeholder={t.linkHint}
            type="url"
            value={mine.externalUrl ?? ""}
            error={problem("externalUrl")}
            onChange={({ currentTarget: { value } }) =>
              unsaved.set((before) => ({ ...before, externalUrl: value || null }))
            }
          />
        </>
      )}
    </ActionForm>
  );
}

/** What is another than it was: nothing else is written over. */
function differing(before: Edited, now: Edited): TodoChange {
  const keys = ["text", "projectId", "externalUrl"] as const;
  const changed = keys.filter((key) => before[key] !== now[key]).map((key) => [key, now[key]]);
  return changed.length > 0 ? Object.fromEntries(changed) : { text: now.text };
}
