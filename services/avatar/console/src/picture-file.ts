import type { Area } from "react-easy-crop";

/** Types that browsers can draw; what else there is (HEIC, TIFF, SVG) is told so before anything is sent. */
export const STILL_TYPES = ["image/png", "image/jpeg", "image/webp"];
export const ANIMATED_TYPE = "image/gif";

/** No stored size is larger. */
const SQUARE = 512;
/** A face is still a face at this size, and no more of the photo needs to leave the machine. */
const PHOTO_EDGE = 1024;

export async function readPicture(file: Blob): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
  } catch {
    URL.revokeObjectURL(image.src);
    throw new Error("That file could not be read as a picture. Take a PNG, JPEG, WebP or GIF.");
  }
  return image;
}

/** The chosen square of a picture, as a PNG no larger than is kept. */
export async function cropSquare(image: HTMLImageElement, { x, y, width, height }: Area): Promise<Blob> {
  const side = Math.min(SQUARE, Math.max(16, Math.round(width)));
  return drawn(side, side, "image/png", (context) =>
    context.drawImage(image, x, y, width, height, 0, 0, side, side),
  );
}

/** A smaller copy without the camera's notes about place and time. */
export async function shrinkPhoto(image: HTMLImageElement): Promise<Blob> {
  const factor = Math.min(1, PHOTO_EDGE / Math.max(image.naturalWidth, image.naturalHeight));
  const width = Math.max(1, Math.round(image.naturalWidth * factor));
  const height = Math.max(1, Math.round(image.naturalHeight * factor));
  return drawn(width, height, "image/jpeg", (context) => context.drawImage(image, 0, 0, width, height));
}

function drawn(
  width: number,
  height: number,
  type: string,
  draw: (context: CanvasRenderingContext2D) => void,
): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser cannot draw on a canvas.");
  context.imageSmoothingQuality = "high";
  draw(context);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large for this browser."))),
      type,
      0.9,
    );
  });
}
