import { createHash, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Avatar, Style } from "@dicebear/core";
import { Resvg } from "@resvg/resvg-js";
import { MAX_SIZE } from "../../services/avatar/src/domain/picture.ts";
import { STORED_SIZES } from "../../services/avatar/src/domain/saved-avatar.ts";
import { releaseAfterDrawing } from "../../services/avatar/src/render/native-memory.ts";
import { readStyleDefinition } from "../../services/avatar/src/render/style-definition.ts";

/** The limit of saves: draw every size and put it on disk, with nothing around it. */
const MAX_UNDER_WAY = 8;
const { folder, seconds } = workerData as { folder: string; seconds: number };
const style = new Style(readStyleDefinition("personas"));
mkdirSync(folder, { recursive: true });

const underWay = new Set<Promise<void>>();

let saves = 0;
const began = performance.now();
while (performance.now() < began + seconds * 1000) {
  const svg = new Avatar(style, { seed: randomUUID() }).toString().replace(/<metadata.*?<\/metadata>/s, "");
  const pictures = STORED_SIZES.map((size) => {
    const options = { fitTo: { mode: "width", value: size }, font: { loadSystemFonts: false } } as const;
    return new Uint8Array(new Resvg(svg, options).render().asPng());
  });
  // Written while the next is drawn.
  const written = Promise.all(pictures.map(write)).then(() => {
    underWay.delete(written);
    saves += 1;
  });
  underWay.add(written);
  if (underWay.size >= MAX_UNDER_WAY) await Promise.race(underWay);
  await releaseAfterDrawing(MAX_SIZE);
}
await Promise.all(underWay);
parentPort?.postMessage(saves / ((performance.now() - began) / 1000));

async function write(png: Uint8Array): Promise<void> {
  const draft = join(folder, randomUUID());
  const file = await open(draft, "wx");
  await file.writeFile(png);
  await file.sync();
  await file.close();
  await rename(draft, join(folder, createHash("sha256").update(png).digest("hex")));
  const directory = await open(folder, "r");
  await directory.sync();
  await directory.close();
}
