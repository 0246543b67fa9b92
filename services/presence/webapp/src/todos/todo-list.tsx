import type { Project, Todo } from "../shapes.ts";
import classes from "./todo-row.module.css";
import { TodoRow } from "./todo-row.tsx";

/** TODOs in an order that is not set here. */
export function TodoList(props: {
  todos: readonly Todo[];
  projects: readonly Project[];
  /** All of them are in the project whose page it is: it is not named on each. */
  inProject?: boolean;
  who?: (todo: Todo) => string | undefined;
}) {
  const { todos, projects, inProject = false, who } = props;
  return (
    <ul className={classes.list}>
      {todos.map((todo) => (
        <li key={todo.id} className={classes.item}>
          <TodoRow todo={todo} projects={projects} inProject={inProject} who={who?.(todo)} />
        </li>
      ))}
    </ul>
  );
}
