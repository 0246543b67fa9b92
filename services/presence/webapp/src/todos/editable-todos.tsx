import { LateDialog, lazyPage } from "@frontdesk/ui";
import { Alert } from "@mantine/core";
import { createContext, type ReactNode, Suspense, use, useCallback, useState } from "react";
import type { Project, Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";

const EditTodo = lazyPage(() => import("./edit-todo.tsx").then((part) => part.EditTodo));

const EditContext = createContext<(todo: Todo) => void>(() => {});

/** Opens a TODO of the page to be edited. */
export const useEdit = () => use(EditContext);

/**
 * Has the TODOs of a page edited above their list: one that is deleted, or goes to another place, while somebody edits it
 * does not take along what was typed.
 */
export function EditableTodos(props: {
  todos: readonly Todo[] | undefined;
  projects: readonly Project[];
  children: ReactNode;
}) {
  const { todos, projects, children } = props;
  const [edited, setEdited] = useState<Todo>();
  const [open, setOpen] = useState(false);
  const listed = todos?.find(({ id }) => id === edited?.id);
  if (listed && listed !== edited) setEdited(listed);
  const edit = useCallback((todo: Todo) => {
    setEdited(todo);
    setOpen(true);
  }, []);
  return (
    <EditContext value={edit}>
      {children}
      <LateDialog opened={open} onClose={() => setOpen(false)} title={t.edit} size="lg">
        {open && !listed && (
          <Alert color="clay" role="status" mb="md">
            {t.goneWhileEdited}
          </Alert>
        )}
        {edited && (
          <Suspense>
            <EditTodo key={edited.id} todo={edited} projects={projects} done={() => setOpen(false)} />
          </Suspense>
        )}
      </LateDialog>
    </EditContext>
  );
}
