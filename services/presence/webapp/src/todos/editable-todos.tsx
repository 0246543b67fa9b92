import { lazyPage } from "@frontdesk/ui";
import { createContext, type ReactNode, Suspense, use } from "react";
import { EditDialog, useEdited } from "../edit-dialog.tsx";
import type { Project, Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";

const EditTodo = lazyPage(() => import("./edit-todo.tsx").then((part) => part.EditTodo));

const EditContext = createContext<(todo: Todo) => void>(() => {});

/** Opens a TODO of the page to be edited. */
export const useEdit = () => use(EditContext);

/** Has the TODOs of a page edited above their list. */
export function EditableTodos(props: {
  todos: readonly Todo[] | undefined;
  projects: readonly Project[];
  children: ReactNode;
}) {
  const { todos, projects, children } = props;
  const edited = useEdited(todos, ({ id }) => id);
  return (
    <EditContext value={edited.edit}>
      {children}
      <EditDialog edited={edited} title={() => t.edit} size="lg">
        {(todo) => (
          <Suspense>
            <EditTodo
              key={todo.id}
              todo={todo}
              projects={projects}
              renew={edited.renew}
              done={edited.close}
            />
          </Suspense>
        )}
      </EditDialog>
    </EditContext>
  );
}
