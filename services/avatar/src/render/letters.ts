import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import opentype from "opentype.js";

/** Inter by The Inter Project Authors, SIL Open Font License 1.1. */
const FONT_FILE = fileURLToPath(import.meta.resolve("@fontsource/inter/files/inter-latin-600-normal.woff"));

let parsed: opentype.Font | undefined;
/** Parsed when the first letter is drawn. */
const fontInUse = () => (parsed ??= opentype.parse(new Uint8Array(readFileSync(FONT_FILE)).buffer));

/** On a canvas of 100: even the widest pair stays inside a circle. */
const LETTER_SIZE = 42;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Two letters, all 676 pairs equally likely; from the hash alone, never from a name. */
export function lettersOf(hash: IdentityHash): string {
  const number = Number(BigInt(`0x${hash.slice(0, 16)}`) % 676n);
  return `${ALPHABET[Math.floor(number / 26)]}${ALPHABET[number % 26]}`;
}

/** Draws the letters of an SVG as outlines, so that it looks the same where no font is installed. */
export function outlineText(svg: string): string {
  return svg.replace(/<text ([^>]*)>([^<]*)<\/text>/g, (_, attributes: string, text: string) => {
    const fill = /fill="([^"]*)"/.exec(attributes)?.[1] ?? "#fff";
    return `<path d="${centredOutline(text, LETTER_SIZE, 50, 50)}" fill="${fill}"/>`;
  });
}

/** Centred on the letters' own ink from side to side, and on the height of capitals up and down. */
function centredOutline(text: string, size: number, x: number, y: number): string {
  const font = fontInUse();
  const box = outline(text, size, 0, 0).getBoundingBox();
  const capHeight = ((font.tables.os2?.sCapHeight ?? font.ascender) / font.unitsPerEm) * size;
  return outline(text, size, x - (box.x1 + box.x2) / 2, y + capHeight / 2).toPathData(2);
}

/** Letter beside letter: two capitals need none of the shaping that a line of text does. */
function outline(text: string, size: number, x: number, y: number): opentype.Path {
  const font = fontInUse();
  const path = new opentype.Path();
  let at = x;
  for (const glyph of Array.from(text, (letter) => font.charToGlyph(letter))) {
    path.extend(glyph.getPath(at, y, size));
    at += ((glyph.advanceWidth ?? 0) / font.unitsPerEm) * size;
  }
  return path;
}

/** Whether the font has all the letters of a text. */
export function canOutline(text: string): boolean {
  return Array.from(text).every((letter) => fontInUse().charToGlyph(letter).index !== 0);
}
