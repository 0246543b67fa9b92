import { parentPort, workerData } from "node:worker_threads";
import type { Sight } from "../domain/photo.ts";
import { createFaceModel, type Pixels } from "./face-model.ts";
import { faceOptions } from "./face-options.ts";

export type ThreadAnswer = { readonly sight: Sight } | { readonly error: string };

const { skin, hair } = workerData as { skin: readonly string[]; hair: readonly string[] };
const find = await createFaceModel();

parentPort?.on("message", async (pixels: Pixels) => {
  try {
    const face = await find(pixels);
    const sight: Sight = face
      ? { face: true, options: faceOptions(pixels, face, { skin, hair }) }
      : { face: false };
    parentPort?.postMessage({ sight } satisfies ThreadAnswer);
  } catch (error) {
    parentPort?.postMessage({ error: (error as Error).message } satisfies ThreadAnswer);
  }
});
