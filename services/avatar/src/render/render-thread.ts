import { parentPort } from "node:worker_threads";
import type { Picture } from "../domain/picture.ts";
import type { Face } from "../domain/read-avatar.ts";
import { releaseAfterDrawing } from "./native-memory.ts";
import { renderFace } from "./render-face.ts";

/** Some faces to draw, under a number: a batch may overtake another while memory is being released. */
export interface Batch {
  readonly number: number;
  readonly faces: readonly Face[];
}

export interface DrawnBatch {
  readonly number: number;
  /** In the order of the faces. */
  readonly drawn: readonly Drawn[];
}

export type Drawn = { readonly picture: Picture } | { readonly error: Error };

parentPort?.on("message", async ({ number, faces }: Batch) => {
  const drawn: Drawn[] = [];
  for (const face of faces) {
    drawn.push(draw(face));
    if (face.format === "png") await releaseAfterDrawing(face.size);
  }
  const memory = drawn.flatMap((each) =>
    "picture" in each ? [each.picture.bytes.buffer as ArrayBuffer] : [],
  );
  parentPort?.postMessage({ number, drawn } satisfies DrawnBatch, memory);
});

function draw(face: Face): Drawn {
  try {
    return { picture: renderFace(face) };
  } catch (error) {
    return { error: error as Error };
  }
}
