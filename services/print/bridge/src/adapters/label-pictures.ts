import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@frontdesk/kit/kept-file";

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
    picture(printer: string, name: string): Uint8Array | undefined {
      return names(printer).includes(name) ? readFileSync(join(folder(printer), name)) : undefined;
    },
    put(printer: string, name: string, picture: Uint8Array): void {
      mkdirSync(folder(printer), { recursive: true, mode: 0o700 });
      writeWhole(join(folder(printer), name), picture, 0o600);
      for (const old of names(printer).slice(MAX_PICTURES))
        rmSync(join(folder(printer), old), { force: true });
    },
  };
}
