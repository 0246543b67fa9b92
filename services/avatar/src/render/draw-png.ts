import { Resvg, type ResvgRenderOptions } from "@resvg/resvg-js";

/** Rasterises an SVG of ours into a square PNG. */
export function drawPng(svg: string, size: number): Uint8Array {
  return new Resvg(leanSvg(svg), rasterOptions(size)).render().asPng();
}

export function rasterOptions(size: number): ResvgRenderOptions {
  return { fitTo: { mode: "width", value: size }, font: { loadSystemFonts: false } };
}

/**
 * Takes out what costs the rasteriser time and changes no pixel (metadata, and a clip along the edge
 * of the canvas), and says as an attribute what it does not read from a style.
 */
export function leanSvg(svg: string): string {
  return svg
    .replace(/<!--.*?-->/gs, "")
    .replace(/<metadata.*?<\/metadata>/s, "")
    .replace(/<clipPath id="clip-[^"]*"><rect width="\d+" height="\d+" rx="0" ry="0"\/><\/clipPath>/, "")
    .replace(/<g clip-path="url\(#clip-[^"]*\)">/, "<g>")
    .replaceAll('style="mask-type:alpha"', 'mask-type="alpha"');
}
