import { DomainError } from "@frontdesk/kit/domain-error";
import sharp, { type Metadata, type Sharp } from "sharp";
import { refuse } from "../domain/errors.ts";
import { createSemaphore } from "./semaphore.ts";
import type { ImageType } from "./sniff-image.ts";

export const MAX_PIXELS = 50_000_000;
/** Sound pictures of phones have things in them that decoders warn of; half a picture is none. */
export const FAIL_ON = "truncated";
const MAX_SIDE = 16_384;
/** What the pixels of one picture may take while it is decoded: 50 million with three bytes each, and some more. */
const MAX_DECODED_BYTES = 200_000_000;
/** Pictures that take more than this are decoded one at a time. */
const LARGE_BYTES = 50_000_000;
/** A progressive JPEG keeps all coefficients, two bytes each, beside the pixels until its last scan. */
const PROGRESSIVE_JPEG_FACTOR = 3;

/**
 * Gives a still to the decoder, upright and in the colours of the web; bounded, and refused when anything is wrong with it.
 * `upright` is its size once it stands upright.
 */
export async function decodedStill<T>(
  bytes: Uint8Array,
  type: ImageType,
  work: (source: Sharp, upright: Metadata["autoOrient"]) => Promise<T>,
): Promise<T> {
  const source = () => sharp(bytes, { failOn: FAIL_ON, limitInputPixels: MAX_PIXELS });
  const metadata = await decoded(() => source().metadata());
  const { width, height, format } = metadata;
  if (format !== type) throw refuse("unsupported_image");
  const bytesNeeded = decodedBytes(metadata);
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS || bytesNeeded > MAX_DECODED_BYTES)
    throw refuse("image_too_large");
  const upright = source().autoOrient().toColourspace("srgb");
  return decoded(() => work(upright, metadata.autoOrient), bytesNeeded);
}

function decodedBytes({ width, height, channels, depth, format, isProgressive }: Metadata): number {
  const plain = width * height * channels * (depth === "uchar" ? 1 : 2);
  return format === "jpeg" && isProgressive ? PROGRESSIVE_JPEG_FACTOR * plain : plain;
}

const MAX_WAITING = 64;
const inTurn = createSemaphore(3, MAX_WAITING);
const oneByOne = createSemaphore(1, MAX_WAITING);

/** What the decoder does not like is no picture. */
export async function decoded<T>(work: () => Promise<T>, bytesNeeded = 0): Promise<T> {
  try {
    return await (bytesNeeded > LARGE_BYTES ? oneByOne : inTurn)(work);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw refuse(
      /exceeds pixel limit/i.test((error as Error).message) ? "image_too_large" : "unsupported_image",
    );
  }
}
