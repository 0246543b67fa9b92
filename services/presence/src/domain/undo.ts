import { isDeepStrictEqual } from "node:util";
import { afterClosing, dueClosing, lastClosing } from "./after-closing.ts";
import { chosenAt, fallback, isSameChosen, isShown, withChosen } from "./chosen.ts";
import { refuse } from "./codes.ts";
import { withSkipped } from "./plan-run.ts";
import {
  type Chosen,
  type MemberRecord,
  OWN_FIELDS,
  SHOWN_FIELDS,
  type StatusRecord,
  type StatusUndo,
} from "./records.ts";
import type { StatusDefinition } from "./resources.ts";
import { currentStatus, showChange } from "./status.ts";
import type { Unit } from "./unit.ts";

const STATUS_FIELDS = [...SHOWN_FIELDS, ...OWN_FIELDS];

const statusOf = (record: StatusRecord): StatusRecord =>
  Object.fromEntries(STATUS_FIELDS.map((field) => [field, record[field]])) as unknown as StatusRecord;

const isSameShown = (one: StatusRecord, other: StatusRecord): boolean =>
  // What was remembered before a field was there lacks it.
  SHOWN_FIELDS.every((field) => (one[field] ?? null) === (other[field] ?? null));

const allChosen = (record: StatusRecord): Chosen[] => chosenAt(record, Number.NEGATIVE_INFINITY);

/**
 * Whether a change still holds. What lay beneath it may have ended at the closing time, and a planned status may have begun
 * as the same: nothing is seen of either.
 */
const stillHolds = ({ after }: StatusUndo, member: StatusRecord): boolean => {
  const chosen = allChosen(after);
  const isThere = (each: Chosen) =>
    isShown(member, each) || chosen.some((one) => isDeepStrictEqual(one, each));
  return isSameShown(after, member) && allChosen(member).every(isThere);
};

/** Whether every status that a change has replaced is still in the vocabulary. */
function areKnown(vocabulary: readonly StatusDefinition[], { before }: StatusUndo): boolean {
  const keys = [before.statusKey, ...allChosen(before).map(({ key }) => key)];
  return keys.every((key) => key === null || vocabulary.some((definition) => definition.key === key));
}

/** The change that can be taken back now; null: none. */
export const undoIdOf = (
  undo: StatusUndo | null,
  member: MemberRecord,
  vocabulary: readonly StatusDefinition[],
): string | null =>
  undo && stillHolds(undo, member) && areKnown(vocabulary, undo) ? (undo.id ?? null) : null;

export interface UndoableChange {
  readonly member: MemberRecord;
  /** By which whoever changed it can take it back; null: they cannot. */
  readonly undoId: string | null;
}

/** Remembers what a change in the app has replaced. One that changes nothing leaves what is remembered, which is the member's own. */
export async function changeUndoably(
  unit: Unit,
  found: MemberRecord,
  change: (member: MemberRecord) => Promise<MemberRecord>,
): Promise<UndoableChange> {
  const member = await change(found);
  const settings = await unit.members.settings(found.id);
  const before = currentStatus(found, unit.now);
  if (isSameShown(before, member) && isSameChosen(before, member)) {
    const isOwn = unit.actor.kind === "member" && unit.actor.memberId === member.id;
    return { member, undoId: isOwn ? undoIdOf(settings.undo, member, unit.org.vocabulary) : null };
  }
  // A closing time that is past, and that nobody has got round to yet, has ended what was there.
  const closedAt = dueClosing(await unit.settings(), unit.now);
  const kept = closedAt === null ? before : afterClosing(unit.org.vocabulary, before, closedAt, unit.now);
  const undo = { id: unit.newId(), before: statusOf(kept), after: statusOf(member) };
  await unit.members.saveSettings(found.id, { ...settings, undo });
  return { member, undoId: undo.id };
}

/** Brings back what a change in the app has replaced, unless anyone, or anything, has changed it since. */
export async function undoStatus(unit: Unit, member: MemberRecord, undoId: string): Promise<MemberRecord> {
  const settings = await unit.members.settings(member.id);
  const { undo } = settings;
  if (!undo || undoIdOf(undo, member, unit.org.vocabulary) !== undoId) throw refuse("nothing_to_undo");
  const before = { ...member, ...undo.before, passing: undo.before.passing ?? null };
  // What a closing time has ended does not come back for the night.
  const closedAt = lastClosing(await unit.settings(), unit.now);
  const kept = closedAt === null ? before : afterClosing(unit.org.vocabulary, before, closedAt, unit.now);
  const brought = withRunsSince(undo, member, currentStatus(kept, unit.now), unit.now);
  const next = await withSkipped(unit, brought, undo.after.statusSetAt ?? unit.now);
  await unit.members.saveSettings(member.id, { ...settings, undo: null });
  return showChange(unit, member, next);
}

/** What a planned status has begun since a change, unseen because it says the same, goes on when that is taken back. */
function withRunsSince(
  { after }: StatusUndo,
  member: MemberRecord,
  before: MemberRecord,
  now: number,
): MemberRecord {
  const isSince = ({ plan }: Chosen) => plan !== null && !allChosen(after).some((one) => one.plan === plan);
  const runs = chosenAt(member, now).filter(isSince);
  if (runs.length === 0) return before;
  const others = chosenAt(before, now).filter(({ plan }) => !runs.some((run) => run.plan === plan));
  return fallback(withChosen(before, [...runs, ...others]), now, now);
}

/** What a planned status had begun cannot be brought back once it is planned otherwise, or no longer. */
export async function forgetUndoOf(unit: Unit, memberId: string, planId: string): Promise<void> {
  const settings = await unit.members.settings(memberId);
  const before = settings.undo?.before;
  if (!before) return;
  if (before.statusPlan === planId || allChosen(before).some(({ plan }) => plan === planId))
    await unit.members.saveSettings(memberId, { ...settings, undo: null });
}
