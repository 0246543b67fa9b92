import { Style, type StyleOptions } from "@dicebear/core";
import { AVATAR_STYLES, type AvatarStyle } from "../domain/avatar-style.ts";
import { readStyleDefinition } from "./style-definition.ts";

/** A collection of drawings: DiceBear's definition, and how a face of it looks when nobody chose anything. */
export interface StyleBook {
  readonly style: Style;
  readonly defaults: StyleOptions;
}

export type DrawnStyle = Exclude<AvatarStyle, "initials">;

/** How the faces of a style are set on the canvas. */
export interface Setting {
  /** A soft ground of its own makes a face readable on light and dark pages alike. */
  readonly backgroundColor: readonly string[];
  /** Smaller than the canvas: a pattern that fills all its cells is not a blank square, and fits a circle. */
  readonly scale: number;
}

export const SETTINGS: Readonly<Record<DrawnStyle, Setting>> = {
  personas: { backgroundColor: pastels(), scale: 1 },
  identicon: { backgroundColor: ["#f1f3f5"], scale: 0.75 },
  bottts: { backgroundColor: pastels(), scale: 1 },
  avataaars: { backgroundColor: pastels(), scale: 1 },
};

/** DiceBear checks a whole style when it is made, which takes a while: each is made when it is first needed. */
export const styleBooks = Object.defineProperties(
  {},
  Object.fromEntries(
    AVATAR_STYLES.map((name) => {
      let book: StyleBook | undefined;
      return [name, { enumerable: true, get: () => (book ??= styleBook(name)) }];
    }),
  ),
) as Readonly<Record<AvatarStyle, StyleBook>>;

function styleBook(name: AvatarStyle): StyleBook {
  return {
    style: new Style(readStyleDefinition(name)),
    defaults: name === "initials" ? { initialsVariant: "alt" } : { ...SETTINGS[name] },
  };
}

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
