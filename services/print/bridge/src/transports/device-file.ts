import { constants, open } from "node:fs/promises";
import { descriptorDevice } from "./descriptor.ts";
import type { PolledDevice } from "./polled-device.ts";

/** A printer that is a file of the system, such as /dev/usb/lp0. */
export async function openDeviceFile(path: string): Promise<PolledDevice> {
  const file = await open(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
  // A path that was typed wrong must not be written over, whatever is there.
  if (!(await file.stat()).isCharacterDevice()) {
    await file.close();
    throw new Error("it is not a device");
  }
  const line = descriptorDevice(file.fd);
  return {
    ...line,
    // The USB printer driver takes a piece, sends it while we go on, and forgets it when the file is closed
    // too early. A write of nothing is refused until the last piece has arrived.
    hasAll: async () => (await line.write(NOTHING, NOTHING.length)) !== "again",
    close: () => file.close(),
  };
}

const NOTHING = Buffer.alloc(1);
