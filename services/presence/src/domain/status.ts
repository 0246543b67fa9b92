import { isDeepStrictEqual } from "node:util";
import { type Actor, sourceOf } from "./actor.ts";
import { afterClosing, dueClosing } from "./after-closing.ts";
import { chosenAt, fallback, holds, isSameChosen, isShown, NOTHING_CHOSEN, withChosen } from "./chosen.ts";
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
  readonly note?: string | null;
}

/** A member's status at a moment: one that has run out counts as gone before anyone has swept it away. */
export function statusView(
  vocabulary: readonly StatusDefinition[],
  record: StatusRecord,
  now: number,
): CurrentStatus {
  const current = hasExpired(record, now) ? expired(record, now) : record;
  const definition = (vocabulary.find(({ key }) => key === current.statusKey) ??
    vocabulary.find(({ isDefault }) => isDefault)) as StatusDefinition;
  const view: CurrentStatus = {
    status: definition.key,
    label: definition.label,
    isDefault: definition.isDefault,
    expiresAt: isoTimeOrNull(current.statusExpiresAt),
    setAt: isoTimeOrNull(current.statusSetAt),
    source: current.statusSource,
  };
  if (current.statusNote !== null) view.note = current.statusNote;
  return view;
}

/** The status that holds at a moment, with what it falls back to if it has run out. */
export const currentStatus = <R extends StatusRecord>(record: R, now: number): R =>
  hasExpired(record, now) ? { ...record, ...expired(record, now) } : record;

/** Until when statuses are what they are unless somebody changes them: the next end among them. */
export const nextEnd = (records: readonly StatusRecord[], now: number): number =>
  records.reduce(
    (next, { statusExpiresAt: end }) => (end !== null && end > now && end < next ? end : next),
    Number.POSITIVE_INFINITY,
  );

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
  const definition = definitionOf(unit, wanted.status);
  if (wanted.expiresAt !== null && wanted.expiresAt <= unit.now) throw refuse("expiry_in_past");
  const note = noteOf(unit, found, wanted);
  const isNothing = definition.isDefault && wanted.expiresAt === null && note === null;
  const member = await change(unit, found, isNothing ? null : definition.key, wanted.expiresAt, note);
  return isOwnChoice(unit.actor, member) ? choose(unit, member) : member;
}

/** Who says nothing of a note, and sets what is set already, leaves the one that is there. */
function noteOf(unit: Unit, found: MemberRecord, { status, expiresAt, note }: StatusRequest): string | null {
  if (note !== undefined) return note;
  const current = statusView(unit.org.vocabulary, found, unit.now);
  const isSetAlready = current.status === status && current.expiresAt === isoTimeOrNull(expiresAt);
  return isSetAlready ? (current.note ?? null) : null;
}

export function definitionOf(unit: Unit, key: string): StatusDefinition {
  const definition = unit.org.vocabulary.find((each) => each.key === key);
  if (definition) return definition;
  const known = unit.org.vocabulary.map((each) => each.key).join(", ");
  throw refuse("unknown_status", `"${key}" is not in the vocabulary. It has: ${known}.`);
}

/** Back to the default, for whoever asks; what the member had chosen no longer holds. */
export async function clearStatus(unit: Unit, found: MemberRecord): Promise<MemberRecord> {
  const member = await change(unit, found, null, null, null);
  return forgetOwn(unit, member);
}

async function change(
  unit: Unit,
  found: MemberRecord,
  statusKey: string | null,
  statusExpiresAt: number | null,
  statusNote: string | null,
): Promise<MemberRecord> {
  const member = await expireStatus(unit, found);
  const sameNote = member.statusNote === statusNote;
  const isSame = member.statusKey === statusKey && member.statusExpiresAt === statusExpiresAt && sameNote;
  if (isSame && member.statusPlan === null) return member;
  // What had been chosen may have become the default since.
  const isStillDefault =
    isDefaultKey(unit, member.statusKey) &&
    isDefaultKey(unit, statusKey) &&
    !member.statusExpiresAt &&
    !statusExpiresAt &&
    sameNote;
  if (isSame || isStillDefault) {
    // What is seen stays the same; who sets what a planned status has begun makes it their own.
    const silent = { ...member, statusKey, statusPlan: null };
    await unit.members.saveStatus(member.id, silent);
    return silent;
  }
  const { actor } = unit;
  const next = {
    ...member,
    statusKey,
    statusExpiresAt,
    statusSetAt: unit.now,
    statusSource: sourceOf(actor),
    statusNote,
    statusBy: actor.kind === "member" && actor.memberId !== member.id ? actor.memberId : null,
    statusPlan: null,
  };
  return show(unit, member, next);
}

/** Keeps what is shown and what is chosen now, and tells of it if anything is seen of it. */
export async function showChange(
  unit: Unit,
  before: MemberRecord,
  next: MemberRecord,
): Promise<MemberRecord> {
  if (!isSameChosen(next, before)) await unit.members.saveOwn(next.id, next);
  const [was, is] = [changeStatusView(unit, before), changeStatusView(unit, next)];
  if (is.status !== was.status || is.expiresAt !== was.expiresAt || is.note !== was.note)
    return show(unit, before, next);
  await unit.members.saveStatus(next.id, next);
  // When, how and by whom it was set is on the board, too.
  if (!isDeepStrictEqual(is, was) || next.statusBy !== before.statusBy) unit.touch({ member: next.id });
  return next;
}

/** Keeps what is shown now and tells of it. */
export async function show(unit: Unit, before: MemberRecord, next: MemberRecord): Promise<MemberRecord> {
  await unit.members.saveStatus(next.id, next);
  unit.emit("member.status.changed", statusChange(unit, next, changeStatusView(unit, before)));
  return next;
}

/** What members set themselves is their own choice. */
const isOwnChoice = (actor: Actor, member: MemberRecord): boolean =>
  actor.kind === "member" && actor.memberId === member.id;

/**
 * What is shown becomes what the member has chosen. What ends before it is over; what lasts longer comes back after it:
 * an hour in a meeting ends no vacation. The same for a shorter time makes that shorter.
 */
async function choose(unit: Unit, member: MemberRecord): Promise<MemberRecord> {
  const { statusKey: key, statusNote: note, statusExpiresAt: expiresAt } = member;
  if (key === null) return forgetOwn(unit, member);
  const chosen = chosenAt(member, unit.now);
  const [first] = chosen;
  if (first && isShown(member, first) && first.plan === null) return member;
  const longer = expiresAt === null ? [] : chosen.filter((each) => holds(each, expiresAt));
  const at = longer.findIndex((each) => each.key !== key);
  const choice = { key, note, expiresAt, setAt: unit.now, plan: null };
  const next = withChosen(member, [choice, ...(at < 0 ? [] : longer.slice(at))]);
  await unit.members.saveOwn(member.id, next);
  return next;
}

async function forgetOwn(unit: Unit, member: MemberRecord): Promise<MemberRecord> {
  if (member.ownKey === null) return member;
  const next = { ...member, ...NOTHING_CHOSEN };
  await unit.members.saveOwn(member.id, next);
  return next;
}

/**
 * A status that has run out falls back to what the member has chosen, if that still holds, else to the default; not to
 * what a closing time has ended meanwhile. Whoever comes first does it; it happens once.
 */
export async function expireStatus(unit: Unit, member: MemberRecord): Promise<MemberRecord> {
  if (!hasExpired(member, unit.now)) return member;
  const closedAt = dueClosing(await unit.settings(), unit.now);
  const kept = closedAt === null ? member : afterClosing(unit.org.vocabulary, member, closedAt, unit.now);
  return showChange(unit, member, currentStatus(kept, unit.now));
}

const isDefaultKey = (unit: Unit, key: string | null): boolean =>
  key === null || unit.org.vocabulary.some((definition) => definition.isDefault && definition.key === key);

const hasExpired = (record: StatusRecord, now: number): boolean =>
  record.statusExpiresAt !== null && record.statusExpiresAt <= now;

const expired = (record: StatusRecord, now: number): StatusRecord =>
  fallback(record, record.statusExpiresAt, now);
