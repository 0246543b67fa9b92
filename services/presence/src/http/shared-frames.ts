import type { ShareLinkRecord } from "../domain/records.ts";
import { sharedTodo } from "../domain/shared-board.ts";
import type { SharedIds } from "../domain/shared-ids.ts";
import { type Frame, frameOf, idFrame } from "./app-streams.ts";
import type { LiveEvent } from "./live-hub.ts";

/** An event as somebody sees it who came by a share link. */
export function sharedFrame(
  event: LiveEvent,
  link: ShareLinkRecord,
  ids: SharedIds,
  readMember: (id: string) => Promise<object | undefined>,
): Frame {
  // All who came by the same link are told the same.
  const key = `link ${link.id}`;
  const made = event.made.get(key);
  if (made !== undefined) return made;
  const frame =
    link.kind === "project" ? projectFrame(event, link, ids) : boardFrame(event, link, ids, readMember);
  if (typeof frame === "string") event.made.set(key, frame);
  return frame;
}

function boardFrame(
  { type, data, sequence }: LiveEvent,
  link: ShareLinkRecord,
  ids: SharedIds,
  readMember: (id: string) => Promise<object | undefined>,
): Frame {
  switch (type) {
    case "member.status.changed": {
      const { member, status, expiresAt } = data.status;
      return frameOf("status", { id: ids.hide(link.id, member.id), status, expiresAt }, sequence);
    }
    case "member.joined":
      return readMember(data.member.id).then((member) =>
        member ? frameOf("member", member, sequence) : idFrame(sequence),
      );
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
