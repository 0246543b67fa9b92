import { createPrinter } from "@frontdesk/print-simulator/printer";
import type { UsbDevice } from "../src/transports/usb-printer.ts";

const PACKET = 512;

export interface UsbFaults {
  /** The system's driver holds the printer, as usblp does. */
  driver?: boolean;
  /** Takes nothing while this holds: no paper. */
  stuck?: boolean;
  /** Gone after so many bytes. */
  unplugAtByte?: number;
  /** Has no way back. */
  oneWay?: boolean;
}

/**
 * Stands in for a device of the `usb` package, at the calls that the bridge makes of it, with the simulated
 * printer behind. It is no USB: kernels without it (as on build machines) have no device to offer.
 */
export function scriptedUsb(faults: UsbFaults = {}, serial = "SN1") {
  const printer = createPrinter();
  const received: Buffer[] = [];
  const calls: string[] = [];
  const answers: Buffer[] = [];
  let wake = () => {};
  let line: ReturnType<typeof printer.open> | undefined;
  let total = 0;
  let unplugged = false;
  let driver = faults.driver ?? false;
  const endpoint = (endpointNumber: number, direction: "in" | "out") => ({
    endpointNumber,
    direction,
    type: "bulk",
    packetSize: PACKET,
  });
  const within = async (timeoutMs: number, what: string, holds: () => boolean) => {
    const timer = setTimeout(() => wake(), Math.min(timeoutMs, 20));
    if (!holds() && !unplugged) await new Promise<void>((resolve) => (wake = resolve));
    clearTimeout(timer);
    if (unplugged) throw new Error(`${what} error: Disconnected`);
    if (!holds()) throw new Error(`${what} error: Cancelled`);
  };
  const device: UsbDevice = {
    vendorId: 0x0a5f,
    productId: 0x0166,
    manufacturerName: "Zebra Technologies",
    productName: "ZTC ZD420",
    serialNumber: serial,
    configuration: {
      interfaces: [
        // A printer with a network side of its own: its first part takes no labels.
        { interfaceNumber: 0, alternates: [alternate(0xff, 0, [])] },
        {
          interfaceNumber: 1,
          alternates: [
            alternate(7, 1, [endpoint(1, "out")]),
            ...(faults.oneWay
              ? []
              : [{ ...alternate(7, 2, [endpoint(2, "out"), endpoint(2, "in")]), alternateSetting: 1 }]),
          ],
        },
      ],
    },
    open: async () => {
      calls.push("open");
      if (unplugged) throw new Error("open error: device not found");
    },
    close: async () => void calls.push("close"),
    detachKernelDriver: async () => {
      if (!driver) throw new Error("detachKernelDriver error: no driver");
      driver = false;
      calls.push("detach");
    },
    attachKernelDriver: async () => {
      driver = true;
      calls.push("attach");
    },
    claimInterface: async (number) => {
      if (driver) throw new Error("claimInterface error: busy");
      calls.push(`claim ${number}`);
      line = printer.open((text) => {
        answers.push(Buffer.from(text, "latin1"));
        wake();
      });
    },
    releaseInterface: async (number) => {
      calls.push(`release ${number}`);
      line?.close();
      line = undefined;
    },
    selectAlternateInterface: async (number, setting) => void calls.push(`alternate ${number} ${setting}`),
    nativeTransferIn: async (_endpoint, timeoutMs, length) => {
      await within(timeoutMs, "transferIn", () => answers.length > 0);
      const next = answers.shift() as Buffer;
      if (next.length > length) answers.unshift(next.subarray(length));
      return next.subarray(0, length);
    },
    nativeTransferOut: async (_endpoint, timeoutMs, data) => {
      await within(timeoutMs, "transferOut", () => !faults.stuck);
      if (data.length > PACKET) throw new Error("transferOut error: more than a packet");
      total += data.length;
      if (faults.unplugAtByte !== undefined && total >= faults.unplugAtByte) unplugged = true;
      received.push(Buffer.from(data));
      line?.feed(data);
      return data.length;
    },
  };
  return { device, printer, calls, faults, received: () => Buffer.concat(received) };
}

function alternate(
  interfaceClass: number,
  interfaceProtocol: number,
  endpoints: Array<{ endpointNumber: number; direction: "in" | "out"; type: string; packetSize: number }>,
) {
  return { alternateSetting: 0, interfaceClass, interfaceProtocol, endpoints };
}
