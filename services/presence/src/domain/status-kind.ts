import { readableColors } from "./contrast.ts";
import type { StatusDefinition } from "./resources.ts";

export type Kind = NonNullable<StatusDefinition["kind"]>;

/** Of vocabularies from before there were kinds. */
const KNOWN: Readonly<Record<string, Kind>> = { away: "away", vacation: "out", sick: "out" };

export const kindOf = (definition: StatusDefinition): Kind =>
  definition.kind ?? (Object.hasOwn(KNOWN, definition.key) ? KNOWN[definition.key] : undefined) ?? "in";

/** A status of the vocabulary as the web app shows it. */
export function boardStatus(definition: StatusDefinition) {
  const { key, label, emoji, color, isDefault, defaultMinutes = null } = definition;
  const { light, dark } = readableColors(color);
  return {
    key,
    label,
    emoji,
    color,
    lightColor: light,
    darkColor: dark,
    kind: kindOf(definition),
    defaultMinutes,
    isDefault,
  };
}
