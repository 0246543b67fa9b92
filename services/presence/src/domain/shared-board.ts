import { shownKey } from "./board.ts";
import { isoTimeOrNull } from "./clock-text.ts";
import type { MemberRecord, ShareLinkRecord } from "./records.ts";
import type { EventData, StatusDefinition, Todo } from "./resources.ts";
import type { SharedIds } from "./shared-ids.ts";
import { currentStatus } from "./status.ts";

/** What people without an account see through a share link: no address, no hash of one, no note. */

/**
 * Without a name of their own, members go by their address; its domain is nobody's business here, wherever it stands in a
 * name. Of a name that is nothing else the word is left.
 */
export const sharedName = (name: string): string =>
  name.replaceAll(/@[^\s()<>[\]"',;]*/g, "") || name.replaceAll("@", "");

export const faceOf = (token: string, name: string): string => `/api/v1/app/shared/${token}/faces/${name}`;

/** A project's link says whose TODOs they are, and not where those people are: it is for outsiders. */
export function sharedMember(
  vocabulary: readonly StatusDefinition[],
  member: MemberRecord,
  link: Pick<ShareLinkRecord, "id" | "kind">,
  token: string,
  ids: SharedIds,
  now: number,
) {
  const id = ids.hide(link.id, member.id);
  const owner = { id, name: sharedName(member.name), face: faceOf(token, id) };
  if (link.kind === "project") return owner;
  const current = currentStatus(member, now);
  return {
    ...owner,
    group: member.group && sharedName(member.group),
    status: shownKey(vocabulary, current.statusKey),
    expiresAt: isoTimeOrNull(current.statusExpiresAt),
  };
}

/** The same of somebody who has just joined, as the event tells of them. */
export function sharedNewcomer(
  { id, name, group, status }: EventData<"member.joined">["member"],
  link: Pick<ShareLinkRecord, "id">,
  token: string,
  ids: SharedIds,
) {
  const hidden = ids.hide(link.id, id);
  return {
    id: hidden,
    name: sharedName(name),
    group: group ? sharedName(group) : null,
    face: faceOf(token, hidden),
    status: status.status,
    expiresAt: status.expiresAt,
  };
}

export const sharedTodo = (todo: Todo, link: Pick<ShareLinkRecord, "id">, ids: SharedIds) => ({
  id: ids.hide(link.id, todo.id),
  text: todo.text,
  done: todo.done,
  member: ids.hide(link.id, todo.memberId),
  position: todo.position,
});
