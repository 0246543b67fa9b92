import type { EventData } from "./resources.ts";

interface Told {
  readonly id?: string;
  readonly member?: { readonly id: string };
}

/** What an event is about, by its id. */
export function subjectOf(data: object): string | null {
  const [first] = Object.values(data) as Array<Told | undefined>;
  return first?.id ?? first?.member?.id ?? null;
}

/** What the audit log says of an event beside its subject. What people write in their TODOs is none of it. */
export function detailOf(type: string, data: object): Readonly<Record<string, unknown>> {
  switch (type) {
    case "member.status.changed": {
      const { status, previous } = data as EventData<"member.status.changed">;
      return { from: previous.status, to: status.status };
    }
    case "member.joined":
    case "member.left": {
      const { name, email } = (data as EventData<"member.joined">).member;
      return { name, email };
    }
    default:
      return {};
  }
}

/** Whether a change is one of a person: the audit log keeps those itself, and events tell of all others. */
export const isOfPerson = (kind: string): boolean => kind === "member" || kind === "cli";
