import type { BoardMemberView } from "../domain/board.ts";
import type { Todo } from "../domain/resources.ts";
import { frameOf, idFrame } from "./app-streams.ts";
import { type Frame, type LiveEvent, type LiveRevision, madeOnce } from "./live-hub.ts";

/** Whether a member may see and change a TODO: their own, and everyone's in projects. */
export const isVisibleTodo = (todo: Pick<Todo, "memberId" | "projectId">, memberId: string): boolean =>
  todo.memberId === memberId || todo.projectId !== null;

/** An event as a member of the organisation sees it. */
export function memberFrame(
  event: LiveEvent,
  viewer: string,
  readMember: (id: string) => Promise<BoardMemberView | undefined>,
): Frame {
  if (event.type.startsWith("todo.")) return todoFrame(event, viewer);
  return madeOnce(event, "member", () => frameForAll(event, readMember));
}

function frameForAll(
  event: LiveEvent,
  readMember: (id: string) => Promise<BoardMemberView | undefined>,
): Frame {
  const { type, data, sequence } = event;
  switch (type) {
    case "member.status.changed":
      return statusFrame(event, readMember);
    case "member.joined":
      return readMember(data.member.id).then((member) =>
        member ? frameOf("member", member, sequence) : idFrame(sequence),
      );
    case "member.left":
      return frameOf("left", { id: data.member.id }, sequence);
    case "project.created":
    case "project.updated":
    case "project.archived":
      return frameOf("project", data.project, sequence);
    default:
      return idFrame(sequence);
  }
}

/** A change of which no event tells, as a member of the organisation sees it. */
export const revisedFrame = (
  step: LiveRevision,
  readMember: (id: string) => Promise<BoardMemberView | undefined>,
): Frame =>
  madeOnce(step, "member", async () => {
    const { revision, before, revised } = step;
    const member = revised === "nothing" ? undefined : await readMember(revised.member);
    return frameOf("revised", { revision, before, member: member ?? null });
  });

function statusFrame(
  { data, actor, occurredAt, sequence }: LiveEvent,
  readMember: (id: string) => Promise<BoardMemberView | undefined>,
): Frame {
  const { member, status, expiresAt, setAt, source, note = null } = data.status;
  const frame = (setBy: string | null) => {
    const shown = { status, note, expiresAt, setAt, source, setBy };
    return frameOf(
      "status",
      { memberId: member.id, status: shown, previous: data.previous.status },
      sequence,
    );
  };
  const by = actor?.startsWith("member:") ? actor.slice("member:".length) : null;
  const isNew = setAt === occurredAt;
  if (by === null || (isNew && by === member.id)) return frame(null);
  // Who changed it need not have set it: what was there before was brought back, or the status is no more.
  return readMember(member.id).then((found) => {
    if (found && found.status.setAt === setAt) return frame(found.status.setBy);
    return frame(isNew ? by : null);
  });
}

function todoFrame({ type, data, sequence }: LiveEvent, viewer: string): string {
  const { todo, previous = {} } = data;
  const gone = frameOf("todo-gone", { id: todo.id }, sequence);
  if (isVisibleTodo(todo, viewer)) return type === "todo.deleted" ? gone : frameOf("todo", todo, sequence);
  // It has just left the project in which everyone saw it.
  return previous.projectId ? gone : idFrame(sequence);
}
