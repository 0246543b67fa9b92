import { Style, type StyleOptions } from "@dicebear/core";
import { AVATAR_STYLES, type AvatarStyle } from "../domain/avatar-style.ts";
import { readStyleDefinition } from "./style-definition.ts";

/** A collection of drawings: DiceBear's definition, and how a face of it looks when nobody chose anything. */
export interface StyleBook {
  readonly style: Style;
  readonly defaults: StyleOptions;
}

/** A soft ground of its own makes a face readable on light and dark pages alike. */
export const BACKGROUNDS: Readonly<Record<Exclude<AvatarStyle, "initials">, readonly string[]>> = {
  personas: pastels(),
  identicon: ["#f1f3f5"],
  bottts: pastels(),
  avataaars: pastels(),
};

export const styleBooks = Object.fromEntries(
  AVATAR_STYLES.map((name): [AvatarStyle, StyleBook] => [
    name,
    {
      style: new Style(readStyleDefinition(name)),
      defaults: name === "initials" ? { initialsVariant: "alt" } : { backgroundColor: BACKGROUNDS[name] },
    },
  ]),
) as Readonly<Record<AvatarStyle, StyleBook>>;

function pastels(): string[] {
  return [
    "#dbeafe",
    "#e0e7ff",
    "#ede9fe",
    "#fae8ff",
    "#fce7f3",
    "#ffe4e6",
    "#ffedd5",
    "#fef3c7",
    "#ecfccb",
    "#d1fae5",
    "#cffafe",
  ];
}
