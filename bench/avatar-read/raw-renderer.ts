import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Avatar } from "@dicebear/core";
import { Resvg } from "@resvg/resvg-js";
import { rasterOptions } from "../../services/avatar/src/render/draw-png.ts";
import { drawBareSvg } from "../../services/avatar/src/render/draw-svg.ts";
import { releaseAfterDrawing } from "../../services/avatar/src/render/native-memory.ts";
import { styleBooks } from "../../services/avatar/src/render/styles.ts";
import { randomHash } from "./random-hash.ts";

/**
 * The limit of cold reads: every core does nothing but the drawing itself. For PNG that is the
 * rasteriser on drawings that are ready in memory; for SVG it is DiceBear making the drawing.
 */
export interface RawWork {
  readonly format: "png" | "svg";
  readonly size: number;
  readonly seconds: number;
}

export async function rawRendersPerSecond(work: RawWork): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: availableParallelism() }, () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: work });
      return new Promise<number>((resolve, reject) => worker.once("message", resolve).once("error", reject));
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

if (!isMainThread && workerData?.format) {
  const { format, size, seconds } = workerData as RawWork;
  const { style, defaults } = styleBooks.personas;
  const drawings = Array.from({ length: 500 }, () => drawBareSvg("personas", randomHash()));
  const once = (i: number) =>
    format === "svg"
      ? new Avatar(style, { ...defaults, seed: randomHash() }).toString()
      : new Resvg(drawings[i % drawings.length] as string, rasterOptions(size)).render().asPng();
  for (let i = 0; i < 50; i++) once(i);
  const startedAt = performance.now();
  let count = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    once(count++);
    // Without this the drawings' memory piles up, and the limit would be that of the page faults.
    if (format === "png") await releaseAfterDrawing(size);
  }
  parentPort?.postMessage((count / (performance.now() - startedAt)) * 1000);
}
