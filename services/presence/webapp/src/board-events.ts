import type { Board, StreamEvents, Todo } from "./shapes.ts";

export type BoardEvent = {
  [Name in keyof StreamEvents]: { readonly kind: Name; readonly data: StreamEvents[Name] };
}[keyof StreamEvents] & { readonly id: number | undefined };

/** The board after an event. One that it has in it already changes nothing. */
export function boardAfter(board: Board, event: BoardEvent): Board {
  if (event.kind === "revised") return boardRevised(board, event.data);
  if (event.id === undefined || event.id <= board.sequence) return board;
  const next = { ...board, sequence: event.id };
  switch (event.kind) {
    case "status": {
      const { memberId, status } = event.data;
      return {
        ...next,
        members: board.members.map((member) => (member.id === memberId ? { ...member, status } : member)),
      };
    }
    case "member": {
      const { data } = event;
      const isKnown = board.members.some(({ id }) => id === data.id);
      const members = isKnown
        ? board.members.map((member) => (member.id === data.id ? data : member))
        : [...board.members, data];
      return { ...next, members };
    }
    case "left":
      return { ...next, members: board.members.filter(({ id }) => id !== event.data.id) };
    default:
      return next;
  }
}

interface Step<Member> {
  readonly before: string;
  readonly revision: string;
  readonly member: Member | null;
}

/** A board after a change of which no event tells; one of another revision than the one before it stays as it is. */
export function boardRevised<
  Member extends { readonly id: string },
  Shown extends { readonly revision: string; readonly members: readonly Member[] },
>(shown: Shown, { before, revision, member }: Step<Member>): Shown {
  if (shown.revision !== before) return shown;
  const members = shown.members.map((each) => (each.id === member?.id ? member : each));
  return { ...shown, revision, members };
}

/** What a list of TODOs holds. */
export interface TodoFilter {
  readonly member?: string;
  readonly project?: string;
  readonly archived: boolean;
}

/** A list of TODOs after one of them came, changed or went; an older version than the one that is there changes nothing. */
export function todosAfter(todos: readonly Todo[], filter: TodoFilter, todo: Todo): readonly Todo[] {
  const before = todos.find(({ id }) => id === todo.id);
  if (before && before.version >= todo.version) return todos;
  const others = before ? todos.filter(({ id }) => id !== todo.id) : todos;
  const fits =
    todo.archived === filter.archived &&
    (filter.member === undefined || todo.memberId === filter.member) &&
    (filter.project === undefined || todo.projectId === filter.project);
  return fits ? inOrder([...others, todo]) : others;
}

export const inOrder = (todos: readonly Todo[]): Todo[] =>
  todos.toSorted((one, other) => one.position - other.position || (one.id < other.id ? -1 : 1));
