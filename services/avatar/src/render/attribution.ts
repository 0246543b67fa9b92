import type { Attribution, Attributions } from "../domain/attribution.ts";
import type { AvatarStyle } from "../domain/avatar-style.ts";
import { styleBooks } from "./styles.ts";

/** Whom a style's drawings come from, as its licence asks to say. */
export function attributionOf(style: AvatarStyle): Attribution {
  const meta = styleBooks[style].style.meta();
  return {
    title: meta.source().name() ?? style,
    creator: meta.creator().name() ?? "",
    source: meta.source().url() ?? "",
    license: meta.license().name() ?? "",
    licenseUrl: meta.license().url() ?? "",
  };
}

const lines = new Map<AvatarStyle, string>();

/** One line for a picture's own metadata. */
export function attributionLine(style: AvatarStyle): string {
  const known = lines.get(style);
  if (known) return known;
  const { title, creator, source, license, licenseUrl } = attributionOf(style);
  const line = `Remix of "${title}" (${source}) by ${creator}, ${license} (${licenseUrl})`;
  lines.set(style, line);
  return line;
}

export const attributions: Attributions = { of: attributionOf, line: attributionLine };
