import type { BoardEvent } from "../board-events.ts";
import type { Todo } from "../shapes.ts";

/** An answer is late by moments, in which fewer than these go. */
const MAX_REMEMBERED = 1_000;

/** TODOs that are gone, or whose members are: the answer to a change that was made before comes later, and is of no use. */
export function createGoneTodos() {
  const ids = new Set<string>();
  const add = (id: string) => {
    ids.add(id);
    for (const oldest of ids) {
      if (ids.size <= MAX_REMEMBERED) return;
      ids.delete(oldest);
    }
  };
  return {
    add,
    hear: (event: BoardEvent): void => {
      if (event.kind === "todo-gone" || event.kind === "left") add(event.data.id);
      // Out of sight in one project, it may be back in another; the stream tells in order.
      else if (event.kind === "todo") ids.delete(event.data.id);
    },
    has: ({ id, memberId }: Pick<Todo, "id" | "memberId">): boolean => ids.has(id) || ids.has(memberId),
  };
}

export const goneTodos = createGoneTodos();
