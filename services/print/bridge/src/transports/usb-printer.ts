import type { PolledDevice } from "./polled-device.ts";
import { type UsbAddress, writeUsbAddress } from "./usb-address.ts";

/** What is used of a device of the `usb` package, which follows WebUSB. */
export interface UsbDevice {
  readonly vendorId: number;
  readonly productId: number;
  readonly manufacturerName?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly serialNumber?: string | null | undefined;
  /** Opens the device to find out. */
  readonly configuration?: UsbConfiguration | null | undefined;
  open(): Promise<void>;
  close(): Promise<void>;
  detachKernelDriver(interfaceNumber: number): Promise<void>;
  attachKernelDriver(interfaceNumber: number): Promise<void>;
  claimInterface(interfaceNumber: number): Promise<void>;
  releaseInterface(interfaceNumber: number): Promise<void>;
  selectAlternateInterface(interfaceNumber: number, alternateSetting: number): Promise<void>;
  nativeTransferIn(endpoint: number, timeoutMs: number, length: number): Promise<Uint8Array | null>;
  nativeTransferOut(endpoint: number, timeoutMs: number, data: Uint8Array): Promise<number>;
}

interface UsbConfiguration {
  readonly interfaces: ReadonlyArray<{
    readonly interfaceNumber: number;
    readonly alternates: ReadonlyArray<{
      readonly alternateSetting: number;
      readonly interfaceClass: number;
      readonly interfaceProtocol: number;
      readonly endpoints: ReadonlyArray<{
        readonly endpointNumber: number;
        readonly direction: "in" | "out";
        readonly type: string;
        readonly packetSize: number;
      }>;
    }>;
  }>;
}

export type UsbDevices = () => Promise<readonly UsbDevice[]>;

/** The real ones. The native library comes only where there is a printer that needs it. */
export const systemUsbDevices: UsbDevices = async () => {
  const { usb } = await import("usb");
  return (await usb.getDevices()) as unknown as UsbDevice[];
};

const PRINTER_CLASS = 7;
/** Bytes both ways before one way only (USB printer class 1.1, 4.2.2). */
const PROTOCOLS = [2, 1];
const WRITE_MS = 1_000;
const READ_MS = 200;

interface Pipe {
  readonly endpoint: number;
  readonly packet: number;
}

interface PrinterInterface {
  readonly number: number;
  readonly alternate: number;
  readonly out: Pipe;
  readonly in: Pipe | undefined;
}

/** The part of a device that takes print data, if it is a printer. */
function printerInterface(device: UsbDevice): PrinterInterface | undefined {
  const settings = (device.configuration?.interfaces ?? []).flatMap(({ interfaceNumber, alternates }) =>
    alternates
      .filter(({ interfaceClass }) => interfaceClass === PRINTER_CLASS)
      .map((setting) => ({ number: interfaceNumber, ...setting })),
  );
  for (const protocol of PROTOCOLS) {
    for (const { number, alternateSetting, interfaceProtocol, endpoints } of settings) {
      if (interfaceProtocol !== protocol) continue;
      const pipe = (direction: "in" | "out"): Pipe | undefined => {
        const found = endpoints.find((end) => end.direction === direction && end.type === "bulk");
        return found && { endpoint: found.endpointNumber, packet: found.packetSize };
      };
      const out = pipe("out");
      if (out) return { number, alternate: alternateSetting, out, in: pipe("in") };
    }
  }
  return undefined;
}

async function claim(
  device: UsbDevice,
): Promise<PrinterInterface & { readonly release: () => Promise<void> }> {
  await device.open();
  let detached = false;
  let part: PrinterInterface | undefined;
  const release = async () => {
    if (part) await device.releaseInterface(part.number).catch(noop);
    // The system's own driver gets its printer back, so that its device file is there again.
    if (part && detached) await device.attachKernelDriver(part.number).catch(noop);
    await device.close();
  };
  try {
    part = printerInterface(device);
    if (!part) throw new Error("it is not a printer");
    detached = await device.detachKernelDriver(part.number).then(
      () => true,
      () => false,
    );
    await device.claimInterface(part.number);
    if (part.alternate !== 0) await device.selectAlternateInterface(part.number, part.alternate);
    return { ...part, release };
  } catch (error) {
    await release().catch(noop);
    throw error;
  }
}

const isTimeout = (error: unknown) => /cancelled|timed? ?out/i.test((error as Error).message);

/** A printer that no driver of the system has made a device file for. */
export async function openUsbPrinter(address: UsbAddress, devices: UsbDevices): Promise<PolledDevice> {
  const device = (await devices()).find(
    ({ vendorId, productId, serialNumber }) =>
      vendorId === address.vendorId &&
      productId === address.productId &&
      (address.serial === undefined || serialNumber === address.serial),
  );
  if (!device) throw new Error("it is not plugged in");
  const { out, in: back, release } = await claim(device);
  return {
    /**
     * One packet at a time: it is taken whole or not at all, so one that was given up can be given again. Of
     * a longer transfer nobody could tell how much had arrived.
     */
    write: async (bytes, from) => {
      try {
        const piece = bytes.subarray(from, from + out.packet);
        return await device.nativeTransferOut(out.endpoint, WRITE_MS, piece);
      } catch (error) {
        if (isTimeout(error)) return "again";
        throw error;
      }
    },
    read: async (buffer) => {
      if (!back) throw Object.assign(new Error("the printer says nothing"), { code: "EINVAL" });
      try {
        const bytes = await device.nativeTransferIn(back.endpoint, READ_MS, back.packet);
        if (!bytes || bytes.length === 0) return "again";
        buffer.set(bytes);
        return bytes.length;
      } catch (error) {
        if (isTimeout(error)) return "again";
        throw error;
      }
    },
    // A write is answered when the printer has the packet.
    hasAll: async () => true,
    close: release,
  };
}

export interface FoundUsbPrinter {
  readonly address: string;
  readonly maker: string | undefined;
  readonly model: string | undefined;
  readonly serial: string | undefined;
}

/**
 * The USB printers that are plugged in, whether or not the system has a driver for them, by what the system
 * knows of them: asking one itself would take it from whoever is printing.
 */
export async function listUsbPrinters(devices: UsbDevices): Promise<FoundUsbPrinter[]> {
  return (await devices()).filter(isPrinter).map((device) => {
    const { vendorId, productId } = device;
    const serial = device.serialNumber ?? undefined;
    return {
      address: writeUsbAddress({ vendorId, productId, serial }),
      maker: device.manufacturerName ?? undefined,
      model: device.productName ?? undefined,
      serial,
    };
  });
}

function isPrinter(device: UsbDevice): boolean {
  try {
    return printerInterface(device) !== undefined;
  } catch {
    // One that may not be opened cannot be printed to either.
    return false;
  }
}

const noop = () => {};
