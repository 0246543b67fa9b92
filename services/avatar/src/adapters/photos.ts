import sharp from "sharp";
import { refuse } from "../domain/errors.ts";
import type { PhotoReader } from "../domain/photo.ts";
import { sniffImage } from "./sniff-image.ts";
import { decodedStill } from "./still.ts";

const MAX_SIDE = 512;

/** Small enough to be described cheaply; drawn anew, so that neither place nor camera travels along. */
export const photoReader: PhotoReader = {
  read: async (bytes) => {
    const type = sniffImage(bytes);
    if (!type || type === "gif") throw refuse("unsupported_image");
    const jpeg = await decodedStill(bytes, type, (source) =>
      source
        .resize(MAX_SIDE, MAX_SIDE, { fit: "inside", withoutEnlargement: true })
        .flatten({ background: "white" })
        .jpeg({ quality: 85 })
        .toBuffer(),
    );
    return { jpeg: new Uint8Array(jpeg) };
  },
};

export const photoPixels = async (jpeg: Uint8Array) => {
  const { data, info } = await sharp(jpeg).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
};
