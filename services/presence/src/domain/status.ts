import { sourceOf } from "./actor.ts";
import { isoTimeOrNull } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import { refOf } from "./external-ref.ts";
import type { MemberRecord, StatusRecord } from "./records.ts";
import type { CurrentStatus, EventData, MemberStatus, StatusDefinition } from "./resources.ts";
import type { Unit } from "./unit.ts";

export interface StatusRequest {
  readonly status: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null;
}

/** A member's status at a moment: one that has run out counts as gone before anyone has swept it away. */
export function statusView(
  vocabulary: readonly StatusDefinition[],
  record: StatusRecord,
  now: number,
): CurrentStatus {
  const current = hasExpired(record, now) ? expired(record) : record;
  const definition = (vocabulary.find(({ key }) => key === current.statusKey) ??
    vocabulary.find(({ isDefault }) => isDefault)) as StatusDefinition;
  return {
    status: definition.key,
    label: definition.label,
    isDefault: definition.isDefault,
    expiresAt: isoTimeOrNull(current.statusExpiresAt),
    setAt: isoTimeOrNull(current.statusSetAt),
    source: current.statusSource,
  };
}

export function memberStatusView(
  vocabulary: readonly StatusDefinition[],
  member: MemberRecord,
  integration: string | null,
  now: number,
): MemberStatus {
  return {
    member: { id: member.id, email: member.email, externalRef: refOf(member, integration) },
    ...statusView(vocabulary, member, now),
  };
}

/** The status as it is kept, run out or not: what an event about a change calls `previous`. */
export const changeStatusView = (unit: Unit, member: MemberRecord): CurrentStatus =>
  statusView(unit.org.vocabulary, member, Number.NEGATIVE_INFINITY);

export function statusChange(
  unit: Unit,
  member: MemberRecord,
  previous: CurrentStatus,
): EventData<"member.status.changed"> {
  const { id, email, refs } = member;
  const status = { member: { id, email, externalRefs: { ...refs } }, ...changeStatusView(unit, member) };
  return { status, previous };
}

/** Setting what is already set changes nothing and tells nobody. */
export async function setStatus(
  unit: Unit,
  found: MemberRecord,
  wanted: StatusRequest,
): Promise<MemberRecord> {
  const definition = unit.org.vocabulary.find(({ key }) => key === wanted.status);
  if (!definition) {
    const known = unit.org.vocabulary.map(({ key }) => key).join(", ");
    throw refuse("unknown_status", `"${wanted.status}" is not in the vocabulary. It has: ${known}.`);
  }
  if (wanted.expiresAt !== null && wanted.expiresAt <= unit.now) throw refuse("expiry_in_past");
  const statusKey = definition.isDefault && wanted.expiresAt === null ? null : definition.key;
  return change(unit, found, statusKey, wanted.expiresAt);
}

export const clearStatus = (unit: Unit, found: MemberRecord): Promise<MemberRecord> =>
  change(unit, found, null, null);

async function change(
  unit: Unit,
  found: MemberRecord,
  statusKey: string | null,
  statusExpiresAt: number | null,
): Promise<MemberRecord> {
  const member = hasExpired(found, unit.now) ? await expireStatus(unit, found) : found;
  if (member.statusKey === statusKey && member.statusExpiresAt === statusExpiresAt) return member;
  if (
    isDefaultKey(unit, member.statusKey) &&
    isDefaultKey(unit, statusKey) &&
    !member.statusExpiresAt &&
    !statusExpiresAt
  ) {
    // What is seen stays the same: the member had chosen what has become the default since.
    const silent = { ...member, statusKey };
    await unit.members.saveStatus(member.id, silent);
    return silent;
  }
  const next = {
    ...member,
    statusKey,
    statusExpiresAt,
    statusSetAt: unit.now,
    statusSource: sourceOf(unit.actor),
  };
  await unit.members.saveStatus(member.id, next);
  unit.emit("member.status.changed", statusChange(unit, next, changeStatusView(unit, member)));
  return next;
}

/** Returns a status that has run out to the default. Whoever comes first does it; it happens once. */
export async function expireStatus(unit: Unit, member: MemberRecord): Promise<MemberRecord> {
  if (!hasExpired(member, unit.now)) return member;
  const next = { ...member, ...expired(member) };
  await unit.members.saveStatus(member.id, next);
  unit.emit("member.status.changed", statusChange(unit, next, changeStatusView(unit, member)));
  return next;
}

const isDefaultKey = (unit: Unit, key: string | null): boolean =>
  key === null || unit.org.vocabulary.some((definition) => definition.isDefault && definition.key === key);

const hasExpired = (record: StatusRecord, now: number): boolean =>
  record.statusExpiresAt !== null && record.statusExpiresAt <= now;

const expired = (record: StatusRecord): StatusRecord => ({
  statusKey: null,
  statusExpiresAt: null,
  statusSetAt: record.statusExpiresAt,
  statusSource: "expiry",
});
