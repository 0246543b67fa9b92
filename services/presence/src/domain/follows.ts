import { refuse } from "./codes.ts";
import { memberById } from "./member.ts";
import type { MemberRecord } from "./records.ts";
import type { Unit } from "./unit.ts";

export const MAX_FOLLOWS = 200;

/** Follows these and nobody else; answers whom the member follows then. */
export const followAll = (unit: Unit, member: MemberRecord, ids: readonly string[]): Promise<string[]> =>
  change(unit, member, () => ids);

/** Follows one more. */
export async function follow(unit: Unit, member: MemberRecord, id: string): Promise<string[]> {
  const other = await memberById(unit, id);
  return change(unit, member, (before) => [...before, other.id]);
}

/** Whoever is not followed, or has left, is not followed afterwards either. */
export const unfollow = (unit: Unit, member: MemberRecord, id: string): Promise<string[]> =>
  change(unit, member, (before) => before.filter((each) => each !== id));

async function change(
  unit: Unit,
  member: MemberRecord,
  next: (before: readonly string[]) => readonly string[],
): Promise<string[]> {
  const settings = await unit.members.settings(member.id);
  const wanted = [...new Set(next(settings.follows))];
  // Whoever has left is followed by nobody, and takes nobody's place.
  const known = await unit.members.known(wanted);
  const follows = wanted.filter((id) => known.has(id));
  if (follows.length > MAX_FOLLOWS) throw refuse("too_many_follows");
  await unit.members.saveSettings(member.id, { ...settings, follows });
  return follows;
}
