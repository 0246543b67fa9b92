import { Avatar } from "@dicebear/core";
import type { AvatarStyle } from "../domain/avatar-style.ts";
import type { IdentityHash } from "../domain/identity-hash.ts";
import { lettersOf, outlineText } from "./letters.ts";
import { styleBooks } from "./styles.ts";

/** The face of a hash in a style: the same text for the same hash, on every machine. */
export function drawSvg(style: AvatarStyle, hash: IdentityHash): string {
  const { style: book, defaults } = styleBooks[style];
  // DiceBear takes initials from what stands before an @, and its dice from the whole seed.
  const seed = style === "initials" ? `${lettersOf(hash)}@${hash}` : hash;
  const svg = new Avatar(book, { ...defaults, seed }).toString();
  return style === "initials" ? outlineText(svg) : svg;
}

export function blankSvg(size: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}"/>`;
}
