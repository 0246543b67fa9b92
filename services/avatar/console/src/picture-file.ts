import type { Area } from "react-easy-crop";
import { t } from "./words/pictures.ts";

/** Types that browsers can draw; what else there is (HEIC, TIFF, SVG) is told so before anything is sent. */
export const STILL_TYPES = ["image/png", "image/jpeg", "image/webp"];
export const ANIMATED_TYPE = "image/gif";

/** No stored size is larger. */
const SQUARE = 512;
const PREVIEW = 256;
/** A face is still a face at this size, and no more of the photo needs to leave the machine. */
const PHOTO_EDGE = 1024;

export async function readPicture(file: Blob): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
  } catch {
    URL.revokeObjectURL(image.src);
    throw new Error(t.thatFileCouldNotBeRead);
  }
  return image;
}

/** The chosen square of a picture, as a PNG no larger than is kept. */
export function cropSquare(image: HTMLImageElement, area: Area): Promise<Blob> {
  return encoded(squareOf(image, area, SQUARE), "image/png");
}

/** The same, small and at once, to be shown while the hand still moves. */
export function previewSquare(image: HTMLImageElement, area: Area): string {
  return squareOf(image, area, PREVIEW).toDataURL("image/webp", 0.85);
}

/** A smaller copy without the camera's notes about place and time. */
export function shrinkPhoto(image: HTMLImageElement): Promise<Blob> {
  const factor = Math.min(1, PHOTO_EDGE / Math.max(image.naturalWidth, image.naturalHeight));
  const width = Math.max(1, Math.round(image.naturalWidth * factor));
  const height = Math.max(1, Math.round(image.naturalHeight * factor));
  const small = drawn(width, height, (context) => context.drawImage(image, 0, 0, width, height));
  return encoded(small, "image/jpeg");
}

function squareOf(
  image: HTMLImageElement,
  { x, y, width, height }: Area,
  largest: number,
): HTMLCanvasElement {
  const side = Math.min(largest, Math.max(16, Math.round(width)));
  return drawn(side, side, (context) => context.drawImage(image, x, y, width, height, 0, 0, side, side));
}

function drawn(
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D) => void,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error(t.thisBrowserCannotDrawOnA);
  context.imageSmoothingQuality = "high";
  draw(context);
  return canvas;
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  const tooLarge = new Error(t.thePictureIsTooLargeFor);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(tooLarge)), type, 0.9);
  });
}
