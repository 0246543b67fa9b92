import type { ShareLinkRecord } from "../domain/records.ts";
import { sharedNewcomer, sharedTodo } from "../domain/shared-board.ts";
import type { SharedIds } from "../domain/shared-ids.ts";
import { frameOf, idFrame } from "./app-streams.ts";
import { type Frame, type LiveEvent, type LiveRevision, madeOnce } from "./live-hub.ts";

/** An event as somebody sees it who came by a share link. */
export const sharedFrame = (event: LiveEvent, link: ShareLinkRecord, token: string, ids: SharedIds): Frame =>
  // All who came by the same link are told the same.
  madeOnce(event, `link ${link.id}`, () =>
    link.kind === "project" ? projectFrame(event, link, ids) : boardFrame(event, link, token, ids),
  );

/** A change of which no event tells, as somebody sees it who came by a share link. */
export const sharedRevisedFrame = (
  step: LiveRevision,
  link: ShareLinkRecord,
  readMember: (id: string) => Promise<object | undefined>,
): Frame =>
  madeOnce(step, `link ${link.id}`, async () => {
    const { revision, before, revised } = step;
    const member = revised === "nothing" ? undefined : await readMember(revised.member);
    return frameOf("revised", { revision, before, member: member ?? null });
  });

function boardFrame(
  { type, data, sequence }: LiveEvent,
  link: ShareLinkRecord,
  token: string,
  ids: SharedIds,
): Frame {
  switch (type) {
    case "member.status.changed": {
      const { member, status, expiresAt } = data.status;
      return frameOf("status", { id: ids.hide(link.id, member.id), status, expiresAt }, sequence);
    }
    case "member.joined":
      return frameOf("member", sharedNewcomer(data.member, link, token, ids), sequence);
    case "member.left":
      return frameOf("left", { id: ids.hide(link.id, data.member.id) }, sequence);
    default:
      return idFrame(sequence);
  }
}

function projectFrame({ type, data, sequence }: LiveEvent, link: ShareLinkRecord, ids: SharedIds): Frame {
  if (type.startsWith("project."))
    return data.project.id === link.projectId ? frameOf("changed", {}, sequence) : idFrame(sequence);
  // The TODOs of who has left have gone along.
  if (type === "member.left") return frameOf("changed", {}, sequence);
  if (!type.startsWith("todo.")) return idFrame(sequence);
  const { todo, previous = {} } = data;
  const isHere = todo.projectId === link.projectId;
  if (isHere && type !== "todo.deleted" && !todo.archived)
    return frameOf("todo", sharedTodo(todo, link, ids), sequence);
  const wasHere = isHere || previous.projectId === link.projectId;
  return wasHere ? frameOf("todo-gone", { id: ids.hide(link.id, todo.id) }, sequence) : idFrame(sequence);
}
