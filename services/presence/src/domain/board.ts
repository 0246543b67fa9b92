import { isoTimeOrNull } from "./clock-text.ts";
import type { MemberRecord, OrgSettings, Role } from "./records.ts";
import type { StatusDefinition } from "./resources.ts";
import { currentStatus } from "./status.ts";
import { clockTimeOf } from "./zoned-time.ts";

/** A status as the board shows it; its words and colours are in the vocabulary. */
export interface BoardStatusView {
  status: string;
  note: string | null;
  expiresAt: string | null;
  setAt: string | null;
  source: string;
  setBy: string | null;
}

export interface BoardMemberView {
  id: string;
  email: string;
  name: string;
  group: string | null;
  timeZone: string | null;
  role: Role;
  avatarUrl: string;
  status: BoardStatusView;
}

export function boardMember(
  vocabulary: readonly StatusDefinition[],
  member: MemberRecord,
  avatarUrl: string,
  now: number,
): BoardMemberView {
  const current = currentStatus(member, now);
  return {
    id: member.id,
    email: member.email,
    name: member.name,
    group: member.group,
    timeZone: member.timeZone,
    role: member.role,
    avatarUrl,
    status: {
      status: shownKey(vocabulary, current.statusKey),
      note: current.statusNote,
      expiresAt: isoTimeOrNull(current.statusExpiresAt),
      setAt: isoTimeOrNull(current.statusSetAt),
      source: current.statusSource,
      setBy: current.statusBy,
    },
  };
}

/** The key of the status that is shown: of nobody's choice it is the default. */
export const shownKey = (vocabulary: readonly StatusDefinition[], key: string | null): string =>
  (
    vocabulary.find((definition) => definition.key === key) ??
    (vocabulary.find(({ isDefault }) => isDefault) as StatusDefinition)
  ).key;

export const orgView = (slug: string, { name, timeZone, closingMinute }: OrgSettings) => ({
  slug,
  name,
  timeZone,
  closingTime: closingMinute === null ? null : clockTimeOf(closingMinute),
});
