import type { Objects } from "../domain/objects.ts";
import type { PictureCache } from "../domain/picture-cache.ts";
import type { SavedPictures } from "../domain/read-avatar.ts";

/** Saved pictures from the object store. A content address names its bytes for ever, so it is their tag. */
export function savedPictures(objects: Objects, cache: PictureCache): SavedPictures {
  return {
    get: async (object, type) =>
      cache.get(object, async () => {
        const bytes = await objects.get(object);
        return bytes && { type, bytes, etag: `"${object}"` };
      }),
  };
}
