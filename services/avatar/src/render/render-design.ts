import { createHash } from "node:crypto";
import { Avatar } from "@dicebear/core";
import { type IdentityHash, parseIdentityHash } from "@frontdesk/signin/identity-hash";
import type { Design } from "../domain/design.ts";
import { canOutline, lettersOf, outlineText } from "./letters.ts";
import { styleBooks } from "./styles.ts";

/** The drawing of a design: the same text for the same design, on every machine. */
export function designSvg({ style, seed, options }: Design): string {
  const { style: book, defaults } = styleBooks[style];
  if (style !== "initials") return new Avatar(book, { ...defaults, ...options, seed }).toString();
  const svg = new Avatar(book, { ...defaults, ...options, seed: letteredSeed(seed) }).toString();
  return outlineText(svg);
}

/** Without what costs the rasteriser time and changes no pixel. */
export function bareDesignSvg(design: Design): string {
  return (
    designSvg(design)
      .replace(/<metadata.*?<\/metadata>/s, "")
      // The rasteriser reads this from an attribute only.
      .replaceAll('style="mask-type:alpha"', 'mask-type="alpha"')
  );
}

/**
 * DiceBear takes initials from what stands before an @. A hash is no name, and our letters are Latin:
 * for such a seed the letters come from its hash.
 */
function letteredSeed(seed: string): string {
  const hash = parseIdentityHash(seed);
  if (hash) return `${lettersOf(hash)}@${hash}`;
  const letters = /<text [^>]*>([^<]*)<\/text>/.exec(
    new Avatar(styleBooks.initials.style, { seed }).toString(),
  )?.[1];
  if (letters && !letters.includes("&") && canOutline(letters)) return seed;
  const standIn = createHash("sha256").update(seed).digest("hex") as IdentityHash;
  return `${lettersOf(standIn)}@${standIn}`;
}
