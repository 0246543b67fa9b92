import { once } from "node:events";
import type { Finder } from "../domain/discovery.ts";
import { dpmmIn, languagesIn, plainText } from "../domain/printer-clues.ts";

/** What the system says of a serial port. */
export interface SerialPortInfo {
  readonly path: string;
  readonly manufacturer?: string | undefined;
  readonly serialNumber?: string | undefined;
  readonly pnpId?: string | undefined;
}

async function systemPorts(): Promise<readonly SerialPortInfo[]> {
  try {
    return await (await import("@serialport/bindings-cpp")).autoDetect().list();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "udevadm is not here (Debian: udev)" : message;
    throw new Error(`The serial ports cannot be listed: ${why}.`);
  }
}

/** Serial ports. What is plugged into one cannot be told without writing to it, so nothing is written. */
export function serialFinder(ports = systemPorts): Finder {
  return {
    via: "serial",
    find: async (lookout) => {
      const listed = await Promise.race([ports(), once(lookout.signal, "abort").then(() => [])]);
      for (const port of listed) {
        lookout.heard();
        const maker = plainText(port.manufacturer);
        const about = plainText(port.pnpId)?.replace(/^usb-|_/g, " ");
        lookout.see({
          via: "serial",
          transport: "serial",
          address: `${port.path}?baud=9600`,
          name: maker ? `${maker} on ${port.path}` : `Serial port ${port.path}`,
          model: maker,
          serial: plainText(port.serialNumber),
          languages: languagesIn(about, maker),
          dpmm: dpmmIn(about),
          sure: false,
          marks: [],
        });
      }
    },
  };
}
