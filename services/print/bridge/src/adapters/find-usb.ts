import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Finder } from "../domain/discovery.ts";
import { serialMarks } from "../domain/found-printer.ts";
import { dpmmIn, languagesIn, plainText, readDeviceId } from "../domain/printer-clues.ts";
import { listUsbPrinters, systemUsbDevices, type UsbDevices } from "../transports/usb-printer.ts";

/**
 * Printers on USB: those for which the system made a device file, with what they told it when they were
 * plugged in, and all that the USB library sees.
 */
export function usbFinder(
  places = { devices: "/dev/usb", descriptions: "/sys/class/usbmisc" },
  devices: UsbDevices = systemUsbDevices,
): Finder {
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
      // Where the library cannot look, the device files are all there is.
      for (const printer of await listUsbPrinters(devices).catch(() => [])) {
        lookout.heard();
        const [maker, product, serial] = [printer.maker, printer.model, printer.serial].map((text) =>
          plainText(text),
        );
        const model = [maker, product].filter(Boolean).join(" ") || undefined;
        lookout.see({
          via: "usb",
          transport: "usb",
          address: printer.address,
          name: model ?? "USB printer",
          model,
          serial,
          languages: languagesIn(model),
          dpmm: dpmmIn(model),
          sure: true,
          marks: serialMarks(maker, serial),
        });
      }
    },
  };
}
