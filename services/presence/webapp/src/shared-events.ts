import { boardRevised } from "./board-events.ts";
import type { Shared, SharedStreamEvents } from "./shapes.ts";

export type SharedEvent = {
  [Name in keyof SharedStreamEvents]: { readonly kind: Name; readonly data: SharedStreamEvents[Name] };
}[keyof SharedStreamEvents] & { readonly id: number | undefined };

const names = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

export type SharedMember = Extract<Shared["members"][number], { status: string }>;

/** The people of a board or a wall; a project's link does not tell where its people are. */
export const peopleOf = (shared: Shared): SharedMember[] =>
  shared.members.filter((each): each is SharedMember => "status" in each);

/** Sorted when somebody comes or is renamed, and not with every status. */
export const byName = (shared: Shared): Shared => ({
  ...shared,
  members: shared.members.toSorted((one, other) => names.compare(one.name, other.name)),
});

/** What a share link shows after an event. One that it has in it already changes nothing. */
export function sharedAfter(shared: Shared, event: SharedEvent): Shared {
  if (event.kind === "revised") {
    const revised = boardRevised(shared, event.data);
    return revised === shared ? shared : byName(revised);
  }
  if (event.id === undefined || event.id <= shared.sequence) return shared;
  const next = { ...shared, sequence: event.id };
  switch (event.kind) {
    case "status": {
      const { id, status, expiresAt } = event.data;
      const members = shared.members.map((each) => (each.id === id ? { ...each, status, expiresAt } : each));
      return { ...next, members };
    }
    case "member":
      return byName({ ...next, members: [...without(shared.members, event.data.id), event.data] });
    case "left":
      return { ...next, members: without(shared.members, event.data.id) };
    case "todo":
      return { ...next, todos: [...without(shared.todos, event.data.id), event.data] };
    case "todo-gone":
      return { ...next, todos: without(shared.todos, event.data.id) };
    default:
      return next;
  }
}

/** Whether an event tells of a TODO of somebody whose name is not known: on a project's page, of a newcomer to it. */
export const isOfStranger = (shared: Shared, event: SharedEvent): boolean =>
  event.kind === "todo" &&
  event.data.member !== null &&
  !shared.members.some(({ id }) => id === event.data.member);

const without = <T extends { readonly id: string }>(all: readonly T[], id: string): T[] =>
  all.filter((each) => each.id !== id);
