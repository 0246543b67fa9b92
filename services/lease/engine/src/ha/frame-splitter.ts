import { Malformed } from "./octets.ts";

/** Counter and type stand before the body, and the length of all before them. */
export const HEADER = 4 + 1;
export const LENGTH = 4;
export const MAX_BODY = 1024 * 1024;

/** Cuts a stream of octets into frames, each without its length. */
export class FrameSplitter {
  #parts: Uint8Array[] = [];
  #size = 0;

  /** The frames that are whole now; throws Malformed when what came cannot be one. */
  push(octets: Uint8Array): Uint8Array[] {
    this.#parts.push(octets);
    this.#size += octets.length;
    const frames: Uint8Array[] = [];
    if (!this.#holdsFrame()) return frames;
    const joined = this.#joined();
    let at = 0;
    for (let end = endOfFrame(joined, at); end <= joined.length; end = endOfFrame(joined, at)) {
      frames.push(joined.subarray(at + LENGTH, end));
      at = end;
    }
    this.#parts = [joined.slice(at)];
    this.#size = joined.length - at;
    return frames;
  }

  /** What came is not put together before there is a frame in it: a large one comes in many parts. */
  #holdsFrame(): boolean {
    if (this.#size < LENGTH) return false;
    const [first] = this.#parts;
    if (first === undefined || first.length < LENGTH) this.#parts = [this.#joined()];
    return this.#size >= endOfFrame(this.#parts[0] as Uint8Array, 0);
  }

  #joined(): Uint8Array {
    const [first] = this.#parts;
    if (first && this.#parts.length === 1) return first;
    const joined = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }
}

/** Where the frame that begins there ends; beyond everything while its length has not come. */
function endOfFrame(octets: Uint8Array, at: number): number {
  if (octets.length - at < LENGTH) return Number.POSITIVE_INFINITY;
  const size = new DataView(octets.buffer, octets.byteOffset + at).getUint32(0);
  if (size < HEADER || size > HEADER + MAX_BODY) throw new Malformed(`a frame of ${size} octets`);
  return at + LENGTH + size;
}
