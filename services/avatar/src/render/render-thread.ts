import { parentPort } from "node:worker_threads";
import type { Face } from "../domain/read-avatar.ts";
import { releaseAfterDrawing } from "./native-memory.ts";
import { type PackedPictures, packPictures } from "./packed-pictures.ts";
import { renderFaces } from "./render-face.ts";

/** Some faces to draw, under a number: a batch may overtake another while memory is being released. */
export interface Batch {
  readonly number: number;
  readonly faces: readonly Face[];
}

export interface DrawnBatch extends PackedPictures {
  readonly number: number;
}

parentPort?.on("message", async ({ number, faces }: Batch) => {
  const packed = packPictures(renderFaces(faces));
  for (const face of faces) if (face.format === "png") await releaseAfterDrawing(face.size);
  parentPort?.postMessage({ number, ...packed } satisfies DrawnBatch, [packed.bytes.buffer as ArrayBuffer]);
});
