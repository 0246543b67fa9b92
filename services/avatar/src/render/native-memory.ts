import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many pixels may be drawn before their memory is asked back: about 16 MiB of them. */
const PIXELS_PER_COLLECTION = 4 * 1024 * 1024;
const DRAWINGS_PER_COLLECTION = 256;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;

let pixels = 0;
let drawings = 0;

/**
 * The rasteriser's drawings live outside the JavaScript heap, and go when the small objects that
 * stand for them are collected and the event loop has turned. V8 sees only the small objects and
 * would not hurry, and a busy thread does not turn: gigabytes pile up. Doing both every so often
 * costs microseconds a drawing and keeps them to a few.
 */
export async function releaseAfterDrawing(size: number): Promise<void> {
  pixels += size * size;
  drawings += 1;
  if (pixels < PIXELS_PER_COLLECTION && drawings < DRAWINGS_PER_COLLECTION) return;
  pixels = 0;
  drawings = 0;
  collect({ type: "minor" });
  await new Promise((turned) => setImmediate(turned));
}
