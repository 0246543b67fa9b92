import { autoDetect } from "@serialport/bindings-cpp";
import koffi from "koffi";
import { descriptorDevice } from "./descriptor.ts";
import type { PolledDevice } from "./polled-device.ts";
import type { SerialOptions } from "./serial-address.ts";

type Port = Awaited<ReturnType<ReturnType<typeof autoDetect>["open"]>>;

export async function openSerialPort({ path, baudRate, flow }: SerialOptions): Promise<PolledDevice> {
  const settings = { baudRate, hupcl: false, xon: flow === "xonxoff", rtscts: flow === "rtscts" };
  const port = await autoDetect()
    .open({ path, ...settings })
    .catch(({ message }: Error) => {
      // Pages are told it too: without the path, which is the administrator's alone.
      throw new Error(message.replaceAll(path, "the port"));
    });
  const close = async (unsent: boolean) => {
    // The system lets go of a port only when what is left has been sent, or thrown away.
    if (unsent) await port.flush();
    await port.close();
  };
  return process.platform === "win32"
    ? { ...windowsLine(port), close }
    : { ...unixLine(port.fd as number), close };
}

/**
 * The library opens the port and sets it up; its own reading and writing are left alone. Its poller hears
 * either that bytes can be read or that they can be written, whichever was asked for last: a write that
 * waits while the printer says nothing is never woken again. And it drains in a thread that a stopped
 * printer would keep.
 */
function unixLine(descriptor: number): Omit<PolledDevice, "close"> {
  const ioctl = koffi.load(null).func("int ioctl(int descriptor, unsigned long request, ...)");
  const request = process.platform === "darwin" ? 0x40047473 : 0x5411;
  /** TIOCOUTQ. */
  const unsent = async () => {
    const count: [number] = [0];
    if (ioctl(descriptor, request, "_Out_ int *", count) !== 0) throw new Error("the port is gone");
    return count[0];
  };
  return { ...descriptorDevice(descriptor), unsent, hasAll: async () => (await unsent()) === 0 };
}

function windowsLine(port: Port): Omit<PolledDevice, "close"> {
  return {
    read: async (buffer) => (await port.read(buffer, 0, buffer.length)).bytesRead,
    write: async (bytes, from) => {
      await port.write(Buffer.from(bytes.subarray(from)));
      return bytes.length - from;
    },
    hasAll: async () => {
      await port.drain();
      return true;
    },
    readLasts: true,
  };
}
