import { sourceOf } from "./actor.ts";
import { chosenAt, fallback, withChosen } from "./chosen.ts";
import { refuse } from "./codes.ts";
import type { StatusDefinition } from "./resources.ts";
import { shownLine, shownLineOr } from "./shown-text.ts";
import { changeStatusView, show, statusChange } from "./status.ts";
import { kindOf } from "./status-kind.ts";
import { forgetUndoOf } from "./undo.ts";
import type { Unit } from "./unit.ts";

const entry = (
  key: string,
  label: string,
  color: string,
  emoji: string,
  kind: "in" | "away" | "out" = "in",
  defaultMinutes: number | null = null,
): StatusDefinition => ({
  key,
  label,
  color,
  emoji,
  isDefault: key === "available",
  kind,
  defaultMinutes,
});

/** What a new organisation begins with. */
export const FIRST_VOCABULARY: readonly StatusDefinition[] = [
  entry("available", "Available", "#2f9e44", "🟢"),
  entry("in-office", "In the office", "#1971c2", "🏢"),
  entry("remote", "Remote", "#0c8599", "🏠"),
  entry("in-meeting", "In a meeting", "#e03131", "📅", "in", 60),
  entry("focus", "Focus", "#9c36b5", "🎧", "in", 120),
  entry("away", "Away", "#f08c00", "🚶", "away", 60),
  entry("vacation", "On vacation", "#e8590c", "🌴", "out"),
  entry("sick", "Sick", "#868e96", "🤒", "out"),
];

const MAX_STATUSES = 100;

/** Label and emoji as they are kept, as far as they are given. */
const shownFields = ({ label, emoji }: { readonly label?: string; readonly emoji?: string }) => ({
  ...(label === undefined ? {} : { label: shownLine(label, "A status's label", 80) }),
  ...(emoji === undefined ? {} : { emoji: shownLineOr(emoji, "An emoji", 16, "") }),
});

export async function addStatus(unit: Unit, wanted: Omit<StatusDefinition, "isDefault">): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(wanted.key)) {
    throw refuse("invalid", `A status key has lower-case letters, digits and dashes, not "${wanted.key}".`);
  }
  if (!/^#[0-9a-f]{6}$/.test(wanted.color))
    throw refuse("invalid", `A color looks like #2f9e44, not "${wanted.color}".`);
  const shown = shownFields(wanted);
  if (unit.org.vocabulary.some(({ key }) => key === wanted.key)) throw refuse("status_exists");
  if (unit.org.vocabulary.length >= MAX_STATUSES)
    throw refuse("invalid", `A vocabulary holds at most ${MAX_STATUSES} statuses.`);
  await unit.saveVocabulary([...unit.org.vocabulary, { ...wanted, ...shown, isDefault: false }]);
  unit.audit("status.added", wanted.key);
}

/** Another default changes how everyone appears who has not set anything: each is told. */
export async function makeDefault(unit: Unit, key: string): Promise<void> {
  const wanted = unit.org.vocabulary.find((definition) => definition.key === key);
  if (!wanted) throw refuse("unknown_status");
  if (wanted.isDefault) return;
  const members = await unit.members.withStatus(null);
  const before = members.map((member) => changeStatusView(unit, member));
  await unit.saveVocabulary(
    unit.org.vocabulary.map((definition) => ({ ...definition, isDefault: definition.key === key })),
  );
  unit.audit("status.made_default", key);
  members.forEach((member, i) => {
    const previous = before[i];
    if (previous && previous.status !== key) {
      unit.emit("member.status.changed", statusChange(unit, member, previous));
    }
  });
}

export interface StatusPatch {
  readonly label?: string;
  readonly color?: string;
  readonly emoji?: string;
  readonly kind?: "in" | "away" | "out";
  readonly defaultMinutes?: number | null;
  readonly isDefault?: true;
  /** Behind which status it goes; null: before all. */
  readonly after?: string | null;
}

/** Changes what the patch names; how it is called in requests stays. */
export async function changeDefinition(unit: Unit, key: string, patch: StatusPatch): Promise<void> {
  const found = existing(unit, key);
  const { after, isDefault, ...fields } = patch;
  const changed: StatusDefinition = { ...found, kind: kindOf(found), ...fields, ...shownFields(fields) };
  const others = unit.org.vocabulary.filter((definition) => definition.key !== key);
  const at =
    after === undefined || after === key
      ? unit.org.vocabulary.indexOf(found)
      : after === null
        ? 0
        : others.indexOf(existing(unit, after)) + 1;
  await unit.saveVocabulary(others.toSpliced(at, 0, changed));
  unit.audit("status.changed", key, patch as Record<string, unknown>);
  if (isDefault) await makeDefault(unit, key);
}

/**
 * Whoever has the status that goes falls back to what they have chosen, if that still holds, else to the default; who has
 * planned it has not any more.
 */
export async function removeStatus(unit: Unit, key: string): Promise<{ moved: number; planned: number }> {
  const found = existing(unit, key);
  if (found.isDefault) throw refuse("status_is_default");
  for (const member of await unit.members.withChosen(key)) {
    const kept = chosenAt(member, unit.now).filter((each) => each.key !== key);
    await unit.members.saveOwn(member.id, withChosen(member, kept));
  }
  const holders = await unit.members.withStatus(key);
  for (const member of holders)
    await show(unit, member, fallback(member, unit.now, unit.now, sourceOf(unit.actor)));
  const planned = await unit.planned.withStatus(key);
  for (const { id, memberId } of planned) {
    await forgetUndoOf(unit, memberId, id);
    await unit.planned.delete(id);
  }
  const lost = planned.filter(({ nextAt, endsAt }) => nextAt !== null || (endsAt ?? 0) > unit.now).length;
  await unit.saveVocabulary(unit.org.vocabulary.filter((definition) => definition.key !== key));
  unit.audit("status.removed", key, { members: holders.length, planned: lost });
  return { moved: holders.length, planned: lost };
}

function existing(unit: Unit, key: string): StatusDefinition {
  const found = unit.org.vocabulary.find((definition) => definition.key === key);
  if (!found) throw refuse("unknown_status");
  return found;
}
