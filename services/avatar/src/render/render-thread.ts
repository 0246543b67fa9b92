import { parentPort } from "node:worker_threads";
import type { Picture } from "../domain/picture.ts";
import type { Face } from "../domain/read-avatar.ts";
import { releaseAfterDrawing } from "./native-memory.ts";
import { renderFace } from "./render-face.ts";

/** What a thread of the pool answers for each face of a batch. */
export type Drawn = { readonly picture: Picture } | { readonly error: Error };

parentPort?.on("message", async (faces: readonly Face[]) => {
  const drawn: Drawn[] = [];
  for (const face of faces) {
    drawn.push(draw(face));
    if (face.format === "png") await releaseAfterDrawing(face.size);
  }
  const memory = drawn.flatMap((each) =>
    "picture" in each ? [each.picture.bytes.buffer as ArrayBuffer] : [],
  );
  parentPort?.postMessage(drawn, memory);
});

function draw(face: Face): Drawn {
  try {
    return { picture: renderFace(face) };
  } catch (error) {
    return { error: error as Error };
  }
}
