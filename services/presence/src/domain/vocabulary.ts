import { sourceOf } from "./actor.ts";
import { refuse } from "./codes.ts";
import type { StatusDefinition } from "./resources.ts";
import { changeStatusView, statusChange } from "./status.ts";
import type { Unit } from "./unit.ts";

const entry = (key: string, label: string, color: string, emoji: string): StatusDefinition => ({
  key,
  label,
  color,
  emoji,
  isDefault: key === "available",
});

/** What a new organisation begins with. */
export const FIRST_VOCABULARY: readonly StatusDefinition[] = [
  entry("available", "Available", "#2f9e44", "🟢"),
  entry("in-office", "In the office", "#1971c2", "🏢"),
  entry("remote", "Remote", "#0c8599", "🏠"),
  entry("in-meeting", "In a meeting", "#e03131", "📅"),
  entry("focus", "Focus", "#9c36b5", "🎧"),
  entry("away", "Away", "#f08c00", "🚶"),
  entry("vacation", "On vacation", "#e8590c", "🌴"),
  entry("sick", "Sick", "#868e96", "🤒"),
];

const MAX_STATUSES = 100;

export async function addStatus(unit: Unit, wanted: Omit<StatusDefinition, "isDefault">): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(wanted.key)) {
    throw refuse("invalid", `A status key has lower-case letters, digits and dashes, not "${wanted.key}".`);
  }
  if (!/^#[0-9a-f]{6}$/.test(wanted.color))
    throw refuse("invalid", `A color looks like #2f9e44, not "${wanted.color}".`);
  if (unit.org.vocabulary.some(({ key }) => key === wanted.key)) throw refuse("status_exists");
  if (unit.org.vocabulary.length >= MAX_STATUSES)
    throw refuse("invalid", `A vocabulary holds at most ${MAX_STATUSES} statuses.`);
  await unit.saveVocabulary([...unit.org.vocabulary, { ...wanted, isDefault: false }]);
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

/** Whoever has the status that goes returns to the default. */
export async function removeStatus(unit: Unit, key: string): Promise<void> {
  const found = unit.org.vocabulary.find((definition) => definition.key === key);
  if (!found) throw refuse("unknown_status");
  if (found.isDefault) throw refuse("status_is_default");
  for (const member of await unit.members.withStatus(key)) {
    const previous = changeStatusView(unit, member);
    const status = {
      statusKey: null,
      statusExpiresAt: null,
      statusSetAt: unit.now,
      statusSource: sourceOf(unit.actor),
    };
    await unit.members.saveStatus(member.id, status);
    unit.emit("member.status.changed", statusChange(unit, { ...member, ...status }, previous));
  }
  await unit.saveVocabulary(unit.org.vocabulary.filter((definition) => definition.key !== key));
  unit.audit("status.removed", key);
}
