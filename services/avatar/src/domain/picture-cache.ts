import { LRUCache } from "lru-cache";
import type { Picture } from "./picture.ts";

/**
 * What a picture costs beside its bytes: key, tag and the map's own entry, and as much again and more
 * for one that was dropped before it and waits to be collected, which V8 does not hurry with.
 */
const OVERHEAD_BYTES = 2048;

/** Keeps the pictures that are asked for most, up to a number of bytes, and makes each only once at a time. */
export function createPictureCache(maxBytes: number) {
  const kept = new LRUCache<string, Picture>({
    maxSize: maxBytes,
    sizeCalculation: (picture) => picture.bytes.byteLength + OVERHEAD_BYTES,
  });
  const underWay = new Map<string, Promise<Picture | undefined>>();

  return {
    get bytes() {
      return kept.calculatedSize;
    },
    get<P extends Picture | undefined>(key: string, make: () => Promise<P>): Promise<P> | P {
      const hit = kept.get(key) as P | undefined;
      if (hit) return hit;
      const running = underWay.get(key) as Promise<P> | undefined;
      if (running) return running;
      const made = make()
        .then((picture) => {
          if (picture) kept.set(key, picture);
          return picture;
        })
        .finally(() => underWay.delete(key));
      underWay.set(key, made);
      return made;
    },
  };
}

export type PictureCache = ReturnType<typeof createPictureCache>;
