import { createHash, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Avatar, Style } from "@dicebear/core";
import { Resvg } from "@resvg/resvg-js";
import { STORED_SIZES } from "../../services/avatar/src/domain/saved-avatar.ts";
import { readStyleDefinition } from "../../services/avatar/src/render/style-definition.ts";

/** The limit of saves: draw every size and put it on disk, with nothing around it. */
const { folder, seconds } = workerData as { folder: string; seconds: number };
const style = new Style(readStyleDefinition("personas"));
mkdirSync(folder, { recursive: true });

let saves = 0;
const until = performance.now() + seconds * 1000;
while (performance.now() < until) {
  const svg = new Avatar(style, { seed: randomUUID() }).toString();
  for (const size of STORED_SIZES) {
    const resvg = new Resvg(svg, { fitTo: { mode: "width", value: size }, font: { loadSystemFonts: false } });
    const png = resvg.render().asPng();
    const draft = join(folder, randomUUID());
    const file = openSync(draft, "wx");
    writeSync(file, png);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, join(folder, createHash("sha256").update(png).digest("hex")));
    const directory = openSync(folder, "r");
    fsyncSync(directory);
    closeSync(directory);
  }
  saves += 1;
  // The rasteriser's memory is given back when the loop turns.
  await new Promise((turned) => setImmediate(turned));
}
parentPort?.postMessage(saves);
