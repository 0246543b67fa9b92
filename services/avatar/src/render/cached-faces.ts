import type { PictureCache } from "../domain/picture-cache.ts";
import type { Faces } from "../domain/read-avatar.ts";

/** Draws each face once while it is remembered; callers that come meanwhile share the drawing. */
export function cachedFaces(faces: Faces, cache: PictureCache): Faces {
  return {
    draw: async (face) => {
      // A design is drawn once, when it is tried out or saved.
      if (face.kind === "design") return faces.draw(face);
      const what = face.kind === "style" ? `${face.style} ${face.hash}` : "blank";
      return cache.get(`${what} ${face.size} ${face.format}`, () => faces.draw(face));
    },
  };
}
