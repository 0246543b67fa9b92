import { hash } from "node:crypto";
import type { AvatarStyle } from "../domain/avatar-style.ts";
import type { Picture } from "../domain/picture.ts";
import type { Face } from "../domain/read-avatar.ts";
import { attributionLine } from "./attribution.ts";
import { drawDesignPng, isOfASeed } from "./draw-design-png.ts";
import { drawPng } from "./draw-png.ts";
import { blankSvg, drawBareSvg, drawSvg } from "./draw-svg.ts";
import { withPngText } from "./png-text.ts";
import { bareDesignSvg, designSvg } from "./render-design.ts";

/** Draws a face from beginning to end. */
export function renderFace(face: Face): Picture {
  const [drawn] = renderFaces([face]) as [Picture | Error];
  if (drawn instanceof Error) throw drawn;
  return drawn;
}

/**
 * Draws some faces, in their order; one that cannot be drawn fails alone. All of them take a step
 * before any takes the next, because each step works faster while its code is in the processor's cache.
 */
export function renderFaces(faces: readonly Face[]): Array<Picture | Error> {
  const drawings = forEach(faces, (face) => drawing(face));
  const images = forEach(drawings, image);
  return forEach(images, (bytes, face) => picture(bytes, face));

  function forEach<From, To>(from: ReadonlyArray<From | Error>, step: (item: From, face: Face) => To) {
    return from.map((item, i): To | Error => {
      if (item instanceof Error) return item;
      try {
        return step(item, faces[i] as Face);
      } catch (error) {
        return error as Error;
      }
    });
  }
}

function drawing(face: Face): string {
  const svg = face.format === "svg";
  switch (face.kind) {
    case "blank":
      return blankSvg(face.size);
    case "design":
      return svg ? designSvg(face.design) : bareDesignSvg(face.design);
    case "style":
      return svg ? drawSvg(face.style, face.hash, face.size) : drawBareSvg(face.style, face.hash);
  }
}

function image(svg: string, face: Face): Uint8Array {
  if (face.format === "svg") return new TextEncoder().encode(svg);
  if (face.kind !== "design" || isOfASeed(face.design.options)) return drawPng(svg, face.size);
  return drawDesignPng(svg, face.size, face.design.options);
}

function picture(image: Uint8Array, face: Face): Picture {
  // An SVG carries its credits in its own metadata.
  const bytes = face.format === "svg" || face.kind === "blank" ? image : withCredits(image, styleOf(face));
  const etag = `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`;
  return { type: face.format === "svg" ? "image/svg+xml" : "image/png", bytes, etag };
}

const styleOf = (face: Exclude<Face, { kind: "blank" }>) =>
  face.kind === "design" ? face.design.style : face.style;

const withCredits = (png: Uint8Array, style: AvatarStyle) =>
  withPngText(png, "Copyright", attributionLine(style));
