import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import sharp from "sharp";

const IMAGES = fileURLToPath(new URL("../docs/images", import.meta.url));

/** Keeps what the page shows as a picture for the guides: only when asked with SCREENSHOTS=write. */
export async function keepPicture(page: Page, name: string, { scrolled = false } = {}): Promise<void> {
  if (process.env.SCREENSHOTS !== "write") return;
  await page.mouse.move(0, 0);
  await page.waitForLoadState("networkidle");
  await page.evaluate((stay) => {
    if (!stay) window.scrollTo(0, 0);
    // Colours on their way from dark to light would be caught half way.
    const settled = document.getAnimations().map((animation) => animation.finished.catch(() => {}));
    return Promise.all([document.fonts.ready, ...settled]).then(() => undefined);
  }, scrolled);
  mkdirSync(IMAGES, { recursive: true });
  await sharp(await page.screenshot())
    .webp({ quality: 82, effort: 6 })
    .toFile(join(IMAGES, `${name}.webp`));
}

/** A photo, three to two: red on the left, blue on the right. */
export function twoColourPhoto(): Promise<Buffer> {
  const half = { width: 300, height: 400, channels: 3 as const };
  return sharp({ create: { ...half, width: 600, background: "#d62828" } })
    .composite([{ input: { create: { ...half, background: "#1d4ed8" } }, left: 300, top: 0 }])
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** Which of the two a picture has at a place, told as a part of its width. */
export async function colourAt(picture: Buffer, part: number): Promise<"red" | "blue"> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(part * info.width)) * info.channels;
  return (data[at] ?? 0) > (data[at + 2] ?? 0) ? "red" : "blue";
}

/** A GIF of two frames. */
export async function blinkingGif(): Promise<Buffer> {
  const frames = ["#111827", "#f59e0b"].map((background) =>
    sharp({ create: { width: 64, height: 64, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .gif({ delay: [300, 300] })
    .toBuffer();
}
