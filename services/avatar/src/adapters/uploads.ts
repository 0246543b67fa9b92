import sharp, { type Metadata, type Sharp } from "sharp";
import type { UploadReader } from "../domain/avatars.ts";
import { refuse } from "../domain/errors.ts";
import { STORED_SIZES } from "../domain/saved-avatar.ts";
import { wholeGif } from "./gif.ts";
import { type ImageType, sniffImage } from "./sniff-image.ts";
import { decoded, decodedStill, FAIL_ON, MAX_PIXELS } from "./still.ts";

const MAX_FRAMES = 1_000;
const GIF_CHANNELS = 4;

/**
 * What the bytes are is decided by the bytes and by the decoder; what the caller calls them is not
 * looked at. Stills are decoded whole and drawn anew, so that nothing but pixels is left of them.
 */
export const uploadReader: UploadReader = {
  read: async (bytes) => {
    const type = sniffImage(bytes);
    if (!type) throw refuse("unsupported_image");
    if (type === "gif") {
      const gif = wholeGif(bytes);
      if (!gif) throw refuse("unsupported_image");
      const { width, height, frames } = gif;
      if (frames > MAX_FRAMES || width * height * frames > MAX_PIXELS) throw refuse("image_too_large");
      // Decodes every frame and computes next to nothing of it.
      await decoded(
        () =>
          sharp(gif.bytes, { failOn: FAIL_ON, limitInputPixels: MAX_PIXELS, animated: true })
            .resize(1, 1, { fit: "fill", kernel: "nearest" })
            .raw()
            .toBuffer(),
        GIF_CHANNELS * width * height * frames,
      );
      return { type: "image/gif", bytes: gif.bytes };
    }
    return { type: "image/png", sizes: new Map(await squares(bytes, type)) };
  },
};

async function squares(bytes: Uint8Array, type: ImageType) {
  const largest = STORED_SIZES.at(-1) as number;
  // Decoded and cropped once, then only made smaller.
  const { data, info } = await decodedStill(bytes, type, (source, upright) =>
    withoutLongEnds(source, upright, largest)
      .resize(largest, largest, { fit: "cover", position: "centre" })
      .raw()
      .toBuffer({ resolveWithObject: true }),
  );
  const raw = { width: info.width, height: info.height, channels: info.channels };
  return Promise.all(
    STORED_SIZES.map(async (size) => {
      const png = await sharp(data, { raw }).resize(size, size).png({ compressionLevel: 9 }).toBuffer();
      return [size, new Uint8Array(png)] as const;
    }),
  );
}

/**
 * A picture that is made larger is cropped before: one of a single row of pixels would be thousands of times as long as
 * wide, and the whole of that is held and turned where the picture has to be turned.
 */
function withoutLongEnds(source: Sharp, { width, height }: Metadata["autoOrient"], size: number): Sharp {
  const side = Math.min(width, height);
  if (side >= size) return source;
  const [left, top] = [width, height].map((length) => Math.floor((length - side) / 2)) as [number, number];
  return source.extract({ left, top, width: side, height: side });
}
