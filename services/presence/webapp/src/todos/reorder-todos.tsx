import { ReorderList } from "@frontdesk/ui/reorder-list";
import { useCallback, useMemo } from "react";
import type { Project, Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";
import { TodoRow } from "./todo-row.tsx";

/** One's open TODOs, the first `most` of them drawn, in the order that one gives them: by handle, menu or keys. */
export function ReorderTodos(props: {
  todos: readonly Todo[];
  projects: readonly Project[];
  most: number;
  /** Behind which other it goes; null: before all. */
  onMove: (id: string, after: string | null) => Promise<void>;
}) {
  const { todos, projects, most, onMove } = props;
  const items = useMemo(() => todos.map((todo) => ({ id: todo.id, name: todo.text, todo })), [todos]);
  const row = useCallback(
    ({ todo }: { todo: Todo }) => <TodoRow todo={todo} projects={projects} />,
    [projects],
  );
  return (
    <ReorderList label={t.order} items={items} most={most} onMove={onMove}>
      {row}
    </ReorderList>
  );
}
