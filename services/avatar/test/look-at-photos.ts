import { readFileSync } from "node:fs";
import { connect } from "node:net";
import sharp from "sharp";
import { photoReader } from "../src/adapters/photos.ts";
import { createStyleCatalogue } from "../src/render/style-catalogue.ts";
import { localVision } from "../src/vision/local-vision.ts";

/** Looks at the named photos with the local model, and tells whether it could have reached the network. */
const network = await new Promise((resolve) => {
  try {
    const socket = connect(9, "127.0.0.1");
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on("connect", () => resolve("connected"));
  } catch (error) {
    resolve((error as NodeJS.ErrnoException).code);
  }
});
const vision = localVision(createStyleCatalogue().optionsOf("avataaars"));
const sights = [];
for (const name of process.argv.slice(2)) {
  const bytes =
    name === "blank"
      ? await sharp({ create: { width: 400, height: 400, channels: 3, background: "beige" } })
          .png()
          .toBuffer()
      : readFileSync(name);
  sights.push(await vision.look(await photoReader.read(bytes)));
}
await vision.close();
console.log(JSON.stringify({ network, sights }));
