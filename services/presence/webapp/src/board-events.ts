import type { Board, Member, StatusChanged, StreamEvents } from "./shapes.ts";

export type BoardEvent = {
  [Name in keyof StreamEvents]: { readonly kind: Name; readonly data: StreamEvents[Name] };
}[keyof StreamEvents] & { readonly id: number | undefined };

/** The board after an event. One that it has in it already changes nothing. */
export function boardAfter(board: Board, event: BoardEvent): Board {
  if (event.kind === "revised") return withMyRole(boardRevised(board, event.data));
  if (event.id === undefined || event.id <= board.sequence) return board;
  const next = { ...board, sequence: event.id };
  switch (event.kind) {
    case "status": {
      const { memberId, status } = event.data;
      return {
        ...next,
        // What could be taken back is past; whether there is something else, only the server knows.
        me: isMineByOthers(board, event) ? { ...board.me, undo: null } : board.me,
        members: board.members.map((member) => (member.id === memberId ? { ...member, status } : member)),
      };
    }
    case "member": {
      const { data } = event;
      const isKnown = board.members.some(({ id }) => id === data.id);
      const members = isKnown
        ? board.members.map((member) => (member.id === data.id ? data : member))
        : [...board.members, data];
      return withMyRole({ ...next, members });
    }
    case "left":
      return { ...next, members: board.members.filter(({ id }) => id !== event.data.id) };
    default:
      return next;
  }
}

/** What I may do is what the board says of me. */
function withMyRole(board: Board): Board {
  const role = board.members.find(({ id }) => id === board.me.id)?.role ?? board.me.role;
  return role === board.me.role ? board : { ...board, me: { ...board.me, role } };
}

/** Whether an event tells of my status what was not set on this page, or not shown yet. */
export function isMineByOthers(board: Board, event: BoardEvent): boolean {
  if (event.kind !== "status" || event.data.memberId !== board.me.id) return false;
  const shown = board.members.find(({ id }) => id === board.me.id)?.status;
  return shown === undefined || !isSameStatus(shown, event.data.status);
}

/**
 * The board after the answer to a change of a member's status. `asked` is the member as it was shown when the change was
 * sent: where the stream has told of another status since, that is newer, or the stream will tell of this one too.
 */
export function boardAnswered(
  board: Board,
  asked: Member | undefined,
  { member, undo }: StatusChanged,
  isMine: boolean,
): Board {
  const shown = board.members.find(({ id }) => id === member.id);
  if (shown && shown.status !== asked?.status && !isSameStatus(shown.status, member.status)) return board;
  return {
    ...board,
    me: isMine ? { ...board.me, undo } : board.me,
    members: board.members.map((each) => (each.id === member.id ? member : each)),
  };
}

export const isSameStatus = (one: Member["status"], other: Member["status"]): boolean =>
  one.status === other.status &&
  one.note === other.note &&
  one.expiresAt === other.expiresAt &&
  one.setAt === other.setAt;

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
