export interface WholeGif {
  /** From the signature to the trailer, and nothing behind it. */
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Walks a GIF from block to block (GIF89a specification, appendix B); undefined when it does not end as one. */
export function wholeGif(source: Uint8Array): WholeGif | undefined {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (bytes.length < 13) return undefined;
  const colourTable = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  const width = bytes.readUInt16LE(6);
  const height = bytes.readUInt16LE(8);
  let at = 13 + colourTable(bytes[10] as number);
  let frames = 0;
  const skipSubBlocks = () => {
    while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] as number);
    at += 1;
  };
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === TRAILER) {
      if (frames === 0 || width === 0 || height === 0) return undefined;
      return { bytes: source.subarray(0, at + 1), width, height, frames };
    }
    if (kind === EXTENSION) {
      at += 2;
    } else if (kind === IMAGE && at + 10 < bytes.length) {
      frames += 1;
      at += 11 + colourTable(bytes[at + 9] as number);
    } else {
      return undefined;
    }
    skipSubBlocks();
  }
  return undefined;
}
