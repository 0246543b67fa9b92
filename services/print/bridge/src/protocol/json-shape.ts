import type { Limits } from "../domain/limits.ts";

/** More levels than any request has. */
const MAX_DEPTH = 100;
/** Arrays, objects and names together: a request has three for each label. */
const MAX_PARTS = 50_000;
/** What can be filled into one label. */
export const MAX_VALUES = 500;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether JSON has no more levels, parts and values than requests have. They cost many times what their bytes do when they
 * are read, and everybody waits meanwhile: so they are counted before.
 */
export function hasShapeOfRequest(json: Uint8Array, { labelsPerRequest }: Limits): boolean {
  const { length } = json;
  const maxCommas = MAX_PARTS + labelsPerRequest * MAX_VALUES;
  let depth = 0;
  let parts = 0;
  let commas = 0;
  for (let at = 0; at < length; at++) {
    switch (json[at]) {
      case QUOTE:
        for (at++; at < length && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH || ++parts > MAX_PARTS) return false;
        break;
      case COLON:
        if (++parts > MAX_PARTS) return false;
        break;
      case COMMA:
        if (++commas > maxCommas) return false;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
    }
  }
  return true;
}
