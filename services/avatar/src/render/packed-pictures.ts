import type { Picture } from "../domain/picture.ts";

/** Pictures on their way between threads: one block of memory, because each block costs as much as a message. */
export interface PackedPictures {
  readonly bytes: Uint8Array;
  /** In the order in which they were drawn; those that could not be have the reason in their place. */
  readonly labels: ReadonlyArray<Label | Error>;
}

interface Label extends Omit<Picture, "bytes"> {
  readonly length: number;
}

export function packPictures(drawn: ReadonlyArray<Picture | Error>): PackedPictures {
  const pictures = drawn.filter((each): each is Picture => !(each instanceof Error));
  const bytes = new Uint8Array(pictures.reduce((sum, picture) => sum + picture.bytes.length, 0));
  let offset = 0;
  for (const picture of pictures) {
    bytes.set(picture.bytes, offset);
    offset += picture.bytes.length;
  }
  const labels = drawn.map((each) =>
    each instanceof Error ? each : { type: each.type, etag: each.etag, length: each.bytes.length },
  );
  return { bytes, labels };
}

/** Each picture gets memory of its own, so that one that is kept does not keep its neighbours. */
export function unpackPictures({ bytes, labels }: PackedPictures): Array<Picture | Error> {
  let offset = 0;
  return labels.map((label) => {
    if (label instanceof Error) return label;
    const { type, etag, length } = label;
    const own = Buffer.from(bytes.subarray(offset, offset + length));
    offset += length;
    return { type, etag, bytes: own };
  });
}
