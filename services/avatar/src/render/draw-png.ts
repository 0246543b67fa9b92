import { Resvg, type ResvgRenderOptions } from "@resvg/resvg-js";

/** Rasterises a bare SVG of ours into a square PNG. Its memory is the rasteriser's, and cannot leave this thread. */
export function drawPng(svg: string, size: number): Uint8Array {
  return new Resvg(svg, rasterOptions(size)).render().asPng();
}

export function rasterOptions(size: number): ResvgRenderOptions {
  return { fitTo: { mode: "width", value: size }, font: { loadSystemFonts: false } };
}
