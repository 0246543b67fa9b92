import { ReorderList } from "@frontdesk/ui/reorder-list";
import type { Project, Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";
import { TodoRow } from "./todo-row.tsx";

/** One's open TODOs, in the order that one gives them: by handle, menu or keys. */
export function ReorderTodos(props: {
  todos: readonly Todo[];
  projects: readonly Project[];
  /** Behind which other it goes; null: before all. */
  onMove: (id: string, after: string | null) => Promise<void>;
}) {
  const { todos, projects, onMove } = props;
  return (
    <ReorderList
      label={t.order}
      items={todos.map((todo) => ({ id: todo.id, name: todo.text, todo }))}
      onMove={onMove}
    >
      {({ todo }) => <TodoRow todo={todo} projects={projects} />}
    </ReorderList>
  );
}
