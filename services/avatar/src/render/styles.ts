import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Style, type StyleOptions } from "@dicebear/core";
import { AVATAR_STYLES, type AvatarStyle } from "../domain/avatar-style.ts";

/** A collection of drawings: DiceBear's definition, and how a face of it looks when nobody chose anything. */
export interface StyleBook {
  readonly style: Style;
  readonly defaults: StyleOptions;
}

const PASTELS = [
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

/** A soft ground of its own makes a face readable on light and dark pages alike. */
const DEFAULTS: Readonly<Record<AvatarStyle, StyleOptions>> = {
  personas: { backgroundColor: PASTELS },
  initials: { initialsVariant: "alt" },
  identicon: { backgroundColor: "#f1f3f5" },
  bottts: { backgroundColor: PASTELS },
  avataaars: { backgroundColor: PASTELS },
};

export const styleBooks = Object.fromEntries(
  AVATAR_STYLES.map((name) => [name, { style: new Style(definition(name)), defaults: DEFAULTS[name] }]),
) as Readonly<Record<AvatarStyle, StyleBook>>;

function definition(name: AvatarStyle) {
  return JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve(`@dicebear/styles/${name}.json`)), "utf8"),
  );
}
