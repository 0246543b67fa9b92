import type { BoardEvent } from "../board-events.ts";
import type { Todo } from "../shapes.ts";

/** What a list of TODOs holds. */
export interface TodoFilter {
  readonly member?: string;
  readonly project?: string;
  readonly archived: boolean;
  /** Undefined: both. */
  readonly done?: boolean;
  readonly order: TodoOrder;
}

/** As a person has put them; what was done last first; what was changed last first. */
export type TodoOrder = "position" | "done" | "changed";

/** The beginning of a list, as far as it was asked for. */
export interface Todos {
  readonly todos: readonly Todo[];
  /** There are others behind the last of these. */
  readonly more: boolean;
}

const byId = (one: Todo, other: Todo) => (one.id < other.id ? -1 : 1);
const byTime = (one: string | null, other: string | null) => Date.parse(one ?? "") - Date.parse(other ?? "");

const ORDERS: Readonly<Record<TodoOrder, (one: Todo, other: Todo) => number>> = {
  position: (one, other) => one.position - other.position || byId(one, other),
  done: (one, other) => byTime(other.doneAt, one.doneAt) || byId(other, one),
  changed: (one, other) => byTime(other.updatedAt, one.updatedAt) || byId(other, one),
};

/** A list of TODOs after one of them came, changed or went; an older version than the one that is there changes nothing. */
export function todosAfter(list: Todos, filter: TodoFilter, todo: Todo): Todos {
  const { todos, more } = list;
  const before = todos.find(({ id }) => id === todo.id);
  if (before && before.version >= todo.version) return list;
  const others = before ? todos.filter(({ id }) => id !== todo.id) : todos;
  const fits =
    todo.archived === filter.archived &&
    (filter.done === undefined || todo.done === filter.done) &&
    (filter.member === undefined || todo.memberId === filter.member) &&
    (filter.project === undefined || todo.projectId === filter.project);
  if (!fits) return before ? { todos: others, more } : list;
  const all = [...others, todo].sort(ORDERS[filter.order]);
  // Among those that were not asked for yet: which of them it is behind is not known.
  if (more && all.at(-1) === todo) return { todos: others, more };
  return { todos: all, more };
}

/** A list of TODOs after one is gone, or who had some of them: nobody's are left of who has left. */
export function todosAfterEvent(
  list: Todos,
  event: Extract<BoardEvent, { kind: "todo-gone" | "left" }>,
): Todos {
  const isGone = ({ id, memberId }: Todo) => event.data.id === (event.kind === "left" ? memberId : id);
  return list.todos.some(isGone) ? { ...list, todos: list.todos.filter((todo) => !isGone(todo)) } : list;
}
