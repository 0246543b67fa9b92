import type { Face } from "../domain/read-avatar.ts";
import type { PackedPictures } from "./packed-pictures.ts";

/** What a thread says first: it has loaded all that it draws with. */
export const READY = "ready";

/** Some faces to draw, under a number: a batch may overtake another while memory is being released. */
export interface Batch {
  readonly number: number;
  readonly faces: readonly Face[];
}

export interface DrawnBatch extends PackedPictures {
  readonly number: number;
}
