import { hash } from "node:crypto";
import type { AvatarStyle } from "../domain/avatar-style.ts";
import type { Picture } from "../domain/picture.ts";
import type { Face } from "../domain/read-avatar.ts";
import { attributionLine } from "./attribution.ts";
import { drawPng } from "./draw-png.ts";
import { blankSvg, drawBareSvg, drawSvg } from "./draw-svg.ts";
import { withPngText } from "./png-text.ts";
import { bareDesignSvg, designSvg } from "./render-design.ts";

/** Draws a face from beginning to end. */
export function renderFace(face: Face): Picture {
  if (face.kind === "blank") {
    const svg = blankSvg(face.size);
    return face.format === "svg"
      ? svgPicture(svg)
      : picture("image/png", new Uint8Array(drawPng(svg, face.size)));
  }
  if (face.kind === "design") {
    if (face.format === "svg") return svgPicture(designSvg(face.design));
    return attributed(drawPng(bareDesignSvg(face.design), face.size), face.design.style);
  }
  if (face.format === "svg") return svgPicture(drawSvg(face.style, face.hash));
  return attributed(drawPng(drawBareSvg(face.style, face.hash), face.size), face.style);
}

const attributed = (png: Uint8Array, style: AvatarStyle) =>
  picture("image/png", withPngText(png, "Copyright", attributionLine(style)));

const svgPicture = (svg: string) => picture("image/svg+xml", new TextEncoder().encode(svg));

/**
 * The bytes own their memory and no more than they need: a Buffer may be a slice of a shared block,
 * and the whole block would travel between threads and stay in the cache with it.
 */
function picture(type: Picture["type"], source: Uint8Array): Picture {
  const bytes = source.byteLength === source.buffer.byteLength ? source : new Uint8Array(source);
  return { type, bytes, etag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"` };
}
