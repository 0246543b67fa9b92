import { ApiError, tellDone, tellFailure, tellUndoable } from "@frontdesk/ui";
import { call } from "../api.ts";
import { useSlug } from "../org.ts";
import { queryClient } from "../session.ts";
import type { Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";
import { showTodo } from "./add-todos.tsx";
import { goneTodos } from "./gone-todos.ts";
import { takeOut } from "./put-todo.ts";

export type TodoChange = Partial<Pick<Todo, "text" | "projectId" | "externalUrl" | "archived" | "done">>;

/** What the server has, where it refused a change of an older version. */
export const currentOf = (error: unknown): Todo | undefined =>
  error instanceof ApiError && error.status === 412 ? (error.current as Todo | undefined) : undefined;

/** What can be done with a TODO. */
export function useTodo(todo: Todo) {
  const org = useSlug();
  const { id } = todo;
  /** Refused (412) where another version than this is stored. */
  const change = async (json: TodoChange, version: number | string = todo.version) => {
    const changed = await call("PATCH /orgs/{org}/todos/{id}", {
      path: { org, id },
      json,
      ifMatch: `"${id}-${version}"`,
    });
    showTodo(org, changed);
    return changed;
  };
  /** For what is no text: done is done, whatever it says meanwhile. */
  const insist = async (json: TodoChange): Promise<Todo> => {
    try {
      return await change(json);
    } catch (error) {
      const current = currentOf(error);
      if (!current) throw error;
      showTodo(org, current);
      return change(json, current.version);
    }
  };
  /** Says what was done, with the way back. */
  const undoably = async (json: TodoChange, back: TodoChange, words: string) => {
    try {
      const { version } = await insist(json);
      tellUndoable(words, id, () => void change(back, version).catch(tellFailure));
    } catch (error) {
      tellFailure(error);
    }
  };
  return {
    change,
    tick: async (done: boolean) => {
      try {
        await insist({ done });
      } catch (error) {
        tellFailure(error);
      }
    },
    archive: () => undoably({ archived: true }, { archived: false }, t.isArchived),
    unarchive: () => undoably({ archived: false }, { archived: true }, t.isBack),
    remove: async () => {
      await call("DELETE /orgs/{org}/todos/{id}", { path: { org, id } });
      goneTodos.add(id);
      takeOut(queryClient, org, id);
      tellDone(t.isDeleted);
    },
  };
}
