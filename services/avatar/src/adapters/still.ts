import { DomainError } from "@frontdesk/kit/domain-error";
import sharp, { type Sharp } from "sharp";
import { refuse } from "../domain/errors.ts";
import type { ImageType } from "./sniff-image.ts";
import { createTurns } from "./turns.ts";

export const MOST_PIXELS = 50_000_000;
/** Sound pictures of phones have things in them that decoders warn of; half a picture is none. */
export const FAIL_ON = "truncated";
const MOST_SIDE = 16_384;

/** Gives a still to the decoder, upright and in the colours of the web; bounded, and refused when anything is wrong with it. */
export async function decodedStill<T>(
  bytes: Uint8Array,
  type: ImageType,
  work: (source: Sharp) => Promise<T>,
): Promise<T> {
  const source = () => sharp(bytes, { failOn: FAIL_ON, limitInputPixels: MOST_PIXELS });
  const { width, height, format } = await decoded(() => source().metadata());
  if (format !== type) throw refuse("unsupported_image");
  if (width > MOST_SIDE || height > MOST_SIDE || width * height > MOST_PIXELS)
    throw refuse("image_too_large");
  return decoded(() => work(source().autoOrient().toColourspace("srgb")));
}

/** A picture of the largest size takes some hundred megabytes while it is decoded. */
const inTurn = createTurns(3, 64);

/** What the decoder does not like is no picture. */
export async function decoded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await inTurn(work);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw refuse(
      /exceeds pixel limit/i.test((error as Error).message) ? "image_too_large" : "unsupported_image",
    );
  }
}
