import { putLive } from "@frontdesk/ui/put-live";
import type { QueryClient } from "@tanstack/react-query";
import type { BoardEvent } from "../board-events.ts";
import type { Todo } from "../shapes.ts";
import { type TodoFilter, type Todos, todosAfter, todosAfterEvent } from "./todo-lists.ts";

const listsOf = (org: string) => ["todos", org] as const;

/** Puts a TODO into every list that it belongs to, and out of the others; one that is older than what is shown changes nothing. */
export function putTodo(queries: QueryClient, org: string, todo: Todo): void {
  const lists = queries.getQueriesData<Todos>({ queryKey: listsOf(org) }).flatMap(([, list]) => list ?? []);
  const isOlder = (shown: Todo) => shown.id === todo.id && shown.version > todo.version;
  // It may be in one list by now, and have left the one for which the older would be new.
  if (lists.some(({ todos }) => todos.some(isOlder))) return;
  putLive<Todos>(queries, listsOf(org), (list, [, , filter]) => todosAfter(list, filter as TodoFilter, todo));
}

/** What an event says of the TODOs that are shown. */
export function putTodoEvent(queries: QueryClient, org: string, event: BoardEvent): void {
  if (event.kind === "todo") putTodo(queries, org, event.data);
  else if (event.kind === "todo-gone" || event.kind === "left")
    putLive<Todos>(queries, listsOf(org), (list) => todosAfterEvent(list, event));
}

export const takeOut = (queries: QueryClient, org: string, id: string): void =>
  putTodoEvent(queries, org, { kind: "todo-gone", id: undefined, data: { id } });
