import { Avatar } from "@dicebear/core";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import type { AvatarStyle } from "../domain/avatar-style.ts";
import { DEFAULT_SIZE } from "../domain/picture.ts";
import { compileStyle } from "./compiled-style.ts";
import { lettersOf, outlineText } from "./letters.ts";
import { readStyleDefinition } from "./style-definition.ts";
import { type DrawnStyle, SETTINGS, styleBooks } from "./styles.ts";

/** Draws the faces of one style: as a document to hand out, and bare for the rasteriser. */
interface Draughtsman {
  document(hash: IdentityHash, size: number): string;
  /** Without what costs the rasteriser time and changes no pixel: metadata, a clip along the edge of the canvas. */
  bare(hash: IdentityHash): string;
}

const draughtsmen = new Map<AvatarStyle, Draughtsman>();

/** The face of a hash in a style: the same text for the same hash, on every machine. */
export function drawSvg(style: AvatarStyle, hash: IdentityHash, size: number): string {
  return draughtsman(style).document(hash, size);
}

export function drawBareSvg(style: AvatarStyle, hash: IdentityHash): string {
  return draughtsman(style).bare(hash);
}

export function blankSvg(size: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}"/>`;
}

function draughtsman(style: AvatarStyle): Draughtsman {
  const known = draughtsmen.get(style) ?? (style === "initials" ? lettering() : drawing(style));
  draughtsmen.set(style, known);
  return known;
}

function drawing(style: DrawnStyle): Draughtsman {
  const definition = readStyleDefinition(style);
  const compiled = compileStyle(definition, SETTINGS[style]);
  const { width, height } = definition.canvas;
  // The root element and the metadata are the same for every face of a style.
  const sample = new Avatar(styleBooks[style].style, styleBooks[style].defaults).toString();
  const head = sample.slice(0, sample.indexOf("<defs>"));
  const root = head.slice(0, head.indexOf(">") + 1);
  return {
    document: (hash, size) => {
      const { defs, body, clipId } = compiled.draw(hash);
      const clip = `<clipPath id="${clipId}"><rect width="${width}" height="${height}" rx="0" ry="0"/></clipPath>`;
      return `${withSize(head, size)}<defs>${defs}${clip}</defs><g clip-path="url(#${clipId})">${body}</g></svg>`;
    },
    bare: (hash) => {
      const { defs, body } = compiled.draw(hash);
      // The rasteriser reads this from an attribute only.
      return `${root}<defs>${defs}</defs>${body}</svg>`.replaceAll(
        'style="mask-type:alpha"',
        'mask-type="alpha"',
      );
    },
  };
}

function lettering(): Draughtsman {
  const { style, defaults } = styleBooks.initials;
  const document = (hash: IdentityHash, size: number) => {
    // DiceBear takes initials from what stands before an @, and its dice from the whole seed.
    const svg = new Avatar(style, { ...defaults, seed: `${lettersOf(hash)}@${hash}` }).toString();
    return outlineText(withSize(svg, size));
  };
  return {
    document,
    // The rasteriser is told the size by other means.
    bare: (hash) => document(hash, DEFAULT_SIZE).replace(/<!--.*?<\/metadata>/s, ""),
  };
}

/** DiceBear leaves the size to whoever shows the drawing. */
const withSize = (svg: string, size: number): string =>
  svg.replace("<svg ", `<svg width="${size}" height="${size}" `);
