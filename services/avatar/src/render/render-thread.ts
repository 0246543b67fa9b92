import { parentPort } from "node:worker_threads";
import { isRasteriserPanic } from "./draw-design-png.ts";
import { releaseAfterDrawing } from "./native-memory.ts";
import { packPictures } from "./packed-pictures.ts";
import { renderFaces } from "./render-face.ts";
import { type Batch, type DrawnBatch, READY } from "./render-messages.ts";

parentPort?.on("message", async ({ number, faces }: Batch) => {
  const drawn = renderFaces(faces);
  const packed = packPictures(drawn);
  for (const face of faces) if (face.format === "png") await releaseAfterDrawing(face.size);
  parentPort?.postMessage({ number, ...packed } satisfies DrawnBatch, [packed.bytes.buffer as ArrayBuffer]);
  // A closed port lets the thread end, and the pool starts another with a new rasteriser.
  if (drawn.some(isRasteriserPanic)) parentPort?.close();
});
parentPort?.postMessage(READY);
