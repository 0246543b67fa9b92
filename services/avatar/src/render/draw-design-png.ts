import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import type { DesignOptions } from "../domain/design.ts";
import { rasterOptions } from "./draw-png.ts";

await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));

/** The options that can move a part of the drawing far outside the canvas. */
const MOVING_OPTIONS = ["scale", "rotate", "translateX", "translateY"];

/** The options that only choose among what a seed chooses from. */
const CHOOSING_OPTION = /(?:Variant|Probability|Color)$/;

/** Whether a seed could have made the same drawing: then it is as safe to draw as any face that a hash gets. */
export const isOfASeed = (options: DesignOptions): boolean =>
  Object.keys(options).every((name) => CHOOSING_OPTION.test(name));

/**
 * Rasterises the SVG of a design, which callers shape, into a square PNG. The native rasteriser aborts
 * its whole process where it panics; its WebAssembly build draws the same bytes in twice the time, and
 * a panic is an exception here. The memory of an instance that panicked is not to be trusted:
 * `isRasteriserPanic` tells whoever runs it to start a new one.
 */
export function drawDesignPng(svg: string, size: number, options: DesignOptions): Uint8Array {
  // resvg panics on a layer that lies beyond its canvas by more than the canvas's width. Twice the
  // canvas, cropped to its middle, keeps all that the options can do within that.
  const margin = MOVING_OPTIONS.some((name) => Object.hasOwn(options, name)) ? Math.ceil(size / 2) : 0;
  const image = new Resvg(margin === 0 ? svg : withMargin(svg, margin / size), {
    ...rasterOptions(size + 2 * margin),
    crop: { left: margin, top: margin, right: margin + size, bottom: margin + size },
  });
  const drawn = image.render();
  const png = drawn.asPng();
  // What a panic leaves behind goes with its instance.
  drawn.free();
  image.free();
  return png;
}

export function isRasteriserPanic(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError;
}

/** Widens the view box on all sides by a share of its width. */
function withMargin(svg: string, share: number): string {
  return svg.replace(/viewBox="0 0 (\d+) (\d+)"/, (_, width: string, height: string) => {
    const [x, y] = [Number(width) * share, Number(height) * share];
    return `viewBox="${-x} ${-y} ${Number(width) + 2 * x} ${Number(height) + 2 * y}"`;
  });
}
