import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const MAX_PICTURES = 200;

/** The pictures that virtual printers made, in a folder for each. */
export function openLabelPictures(home: string) {
  const folder = (printer: string) => join(home, "virtual", printer);
  const names = (printer: string) => {
    try {
      return readdirSync(folder(printer))
        .filter((name) => name.endsWith(".png"))
        .sort()
        .reverse();
    } catch {
      return [];
    }
  };
  return {
    list: names,
    max: MAX_PICTURES,
    picture(printer: string, name: string): Uint8Array | undefined {
      return names(printer).includes(name) ? readFileSync(join(folder(printer), name)) : undefined;
    },
    // One after the other, and only those that stay: a job of many labels holds nobody up.
    async put(
      printer: string,
      pictures: ReadonlyArray<readonly [name: string, picture: Uint8Array]>,
    ): Promise<void> {
      await mkdir(folder(printer), { recursive: true, mode: 0o700 });
      for (const [name, picture] of pictures.slice(-MAX_PICTURES)) {
        const path = join(folder(printer), name);
        await writeFile(`${path}.new`, picture, { mode: 0o600 });
        await rename(`${path}.new`, path);
      }
      for (const old of names(printer).slice(MAX_PICTURES))
        await rm(join(folder(printer), old), { force: true });
    },
  };
}
