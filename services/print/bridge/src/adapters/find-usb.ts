import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Finder } from "../domain/discovery.ts";
import { serialMarks } from "../domain/found-printer.ts";
import { dpmmIn, languagesIn, readDeviceId } from "../domain/printer-clues.ts";

/** Printers on USB for which the system made a device file, with what they told it when they were plugged in. */
export function usbFinder(places = { devices: "/dev/usb", descriptions: "/sys/class/usbmisc" }): Finder {
  return {
    via: "usb",
    find: async (lookout) => {
      const names = await readdir(places.devices).catch(() => []);
      for (const name of names.filter((each) => /^lp\d+$/.test(each)).sort()) {
        lookout.heard();
        const path = join(places.descriptions, name, "device", "ieee1284_id");
        // Not every printer tells, and not everybody may read it: the device is there all the same.
        const id = readDeviceId(await readFile(path, "utf8").catch(() => ""));
        const model = [id.maker, id.model].filter(Boolean).join(" ") || undefined;
        lookout.see({
          via: "usb",
          transport: "usb",
          address: join(places.devices, name),
          name: id.description ?? model ?? `USB printer ${name}`,
          model,
          serial: id.serial,
          languages: languagesIn(id.commandSet, model, id.description),
          dpmm: dpmmIn(model, id.description),
          sure: true,
          marks: serialMarks(id.maker, id.serial),
        });
      }
    },
  };
}
