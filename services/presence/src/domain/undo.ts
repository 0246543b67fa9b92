import { refuse } from "./codes.ts";
import type { MemberRecord, StatusRecord } from "./records.ts";
import { currentStatus, show } from "./status.ts";
import type { Unit } from "./unit.ts";

const STATUS_FIELDS = [
  "statusKey",
  "statusExpiresAt",
  "statusSetAt",
  "statusSource",
  "statusNote",
  "statusBy",
  "ownKey",
  "ownNote",
  "ownExpiresAt",
  "ownSetAt",
] as const satisfies ReadonlyArray<keyof StatusRecord>;

const statusOf = (record: StatusRecord): StatusRecord =>
  Object.fromEntries(STATUS_FIELDS.map((field) => [field, record[field]])) as unknown as StatusRecord;

const isSame = (one: StatusRecord, other: StatusRecord): boolean =>
  STATUS_FIELDS.every((field) => one[field] === other[field]);

/** Remembers what a change in the app has replaced. */
export async function changeUndoably(
  unit: Unit,
  before: MemberRecord,
  change: (member: MemberRecord) => Promise<MemberRecord>,
): Promise<MemberRecord> {
  const after = await change(before);
  if (isSame(before, after)) return after;
  const settings = await unit.members.settings(before.id);
  const undo = { before: statusOf(currentStatus(before, unit.now)), after: statusOf(after) };
  await unit.members.saveSettings(before.id, { ...settings, undo });
  return after;
}

/** Brings back what the last change in the app has replaced, unless something else has changed since. */
export async function undoStatus(unit: Unit, member: MemberRecord): Promise<MemberRecord> {
  const settings = await unit.members.settings(member.id);
  const { undo } = settings;
  if (!undo || !isSame(undo.after, member)) throw refuse("nothing_to_undo");
  const known = (key: string | null) =>
    key === null || unit.org.vocabulary.some((definition) => definition.key === key);
  if (!known(undo.before.statusKey) || !known(undo.before.ownKey)) throw refuse("nothing_to_undo");
  const next = currentStatus({ ...member, ...undo.before }, unit.now);
  await unit.members.saveSettings(member.id, { ...settings, undo: null });
  await unit.members.saveOwn(member.id, next);
  return show(unit, member, next);
}

/** Whether there is something to bring back. */
export const canUndo = (undo: { readonly after: StatusRecord } | null, member: MemberRecord): boolean =>
  undo !== null && isSame(undo.after, member);
