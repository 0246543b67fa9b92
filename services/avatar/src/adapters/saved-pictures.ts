import { createHash } from "node:crypto";
import type { Log } from "@frontdesk/kit/log";
import type { Objects } from "../domain/objects.ts";
import type { PictureCache } from "../domain/picture-cache.ts";
import type { SavedPictures } from "../domain/read-avatar.ts";

/**
 * Saved pictures from the object store. A content address names its bytes for ever, so it is their tag;
 * bytes that are not those (a damaged disk, a store that answers with something else) are as good as lost.
 */
export function savedPictures(objects: Objects, cache: PictureCache, log: Log): SavedPictures {
  return {
    get: async (object, type) =>
      cache.get(object, async () => {
        const bytes = await objects.get(object);
        if (!bytes) return undefined;
        if (createHash("sha256").update(bytes).digest("hex") === object)
          return { type, bytes, etag: `"${object}"` };
        log.error(
          { object },
          "a stored object is damaged: restore it from a backup, or have the avatar saved again",
        );
        return undefined;
      }),
  };
}
