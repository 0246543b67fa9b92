import { createHash } from "node:crypto";
import type { Picture } from "../domain/picture.ts";
import type { Face } from "../domain/read-avatar.ts";
import { attributionLine } from "./attribution.ts";
import { drawPng } from "./draw-png.ts";
import { blankSvg, drawSvg } from "./draw-svg.ts";
import { withPngText } from "./png-text.ts";

/** Draws a face from beginning to end. This is the work that the pool's threads do. */
export default function renderFace(face: Face): Picture {
  const svg = face.kind === "blank" ? blankSvg(face.size) : drawSvg(face.style, face.hash);
  if (face.format === "svg") return picture("image/svg+xml", Buffer.from(svg));
  const png = drawPng(svg, face.size);
  return picture(
    "image/png",
    face.kind === "blank" ? png : withPngText(png, "Copyright", attributionLine(face.style)),
  );
}

export function picture(type: Picture["type"], bytes: Uint8Array): Picture {
  return { type, bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
