import type { Todo } from "../shapes.ts";
import type { Todos } from "./todo-lists.ts";

/** As many as the server gives in one answer. */
const MAX_PAGE = 1_000;

export interface TodoPage {
  readonly data: readonly Todo[];
  readonly nextCursor: string | null;
}

/** Asks page after page until there are as many as are wanted, or no more. */
export async function todoPages(
  most: number,
  ask: (page: { limit: number; cursor?: string }) => Promise<TodoPage>,
): Promise<Todos> {
  const todos: Todo[] = [];
  for (let cursor: string | null | undefined; ; ) {
    const limit = Math.min(MAX_PAGE, most - todos.length);
    const { data, nextCursor } = await ask({ limit, ...(cursor ? { cursor } : {}) });
    todos.push(...data);
    cursor = nextCursor;
    if (cursor === null || todos.length >= most) return { todos, more: cursor !== null };
  }
}
