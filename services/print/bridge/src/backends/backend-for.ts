import type { Clock } from "@frontdesk/kit/clock";
import type { Backend, Wait } from "../domain/backend.ts";
import type { Connect } from "../domain/connection.ts";
import { BridgeError } from "../domain/errors.ts";
import type { PrinterRecord, Transport } from "../domain/printer.ts";
import { cupsAddress } from "../transports/cups-address.ts";
import { openDeviceFile } from "../transports/device-file.ts";
import { readHostPort } from "../transports/host-port.ts";
import { createIppSpooler } from "../transports/ipp.ts";
import { polledTransport } from "../transports/polled-device.ts";
import { readSerialAddress } from "../transports/serial-address.ts";
import { tcpTransport } from "../transports/tcp.ts";
import { readUsbAddress } from "../transports/usb-address.ts";
import { openUsbPrinter, systemUsbDevices, type UsbDevices } from "../transports/usb-printer.ts";
import { createWindowsSpooler, type Winspool } from "../transports/windows-spooler.ts";
import { createNoFeedbackBackend } from "./no-feedback-backend.ts";
import { createSpoolerBackend } from "./spooler-backend.ts";
import { createVirtualBackend, type LabelPictures } from "./virtual-backend.ts";
import { createZplBackend } from "./zpl-backend.ts";

export interface BackendSettings {
  readonly clock: Clock;
  readonly monotonic: () => number;
  readonly wait: Wait;
  readonly connectMs: number;
  readonly readMs: number;
  readonly hangUpMs: number;
  readonly pollMs: number;
  readonly idleMs: number;
  readonly recoverMs: number;
  readonly maxVoids: number;
  readonly draw: Parameters<typeof createVirtualBackend>[0]["draw"];
  readonly pictures: LabelPictures;
  readonly usbDevices?: UsbDevices;
}

/** How each kind of connection is opened, from the address the administrator gave. */
const TRANSPORTS: Partial<Record<Transport, (address: string, settings: BackendSettings) => Connect>> = {
  tcp: (address, { connectMs, hangUpMs }) => tcpTransport({ ...readHostPort(address), connectMs, hangUpMs }),
  usb: (address, { wait, connectMs, usbDevices = systemUsbDevices }) => {
    const plugged = readUsbAddress(address);
    const open = plugged ? () => openUsbPrinter(plugged, usbDevices) : () => openDeviceFile(address);
    return polledTransport({ open, wait, connectMs });
  },
  serial: (address, { wait, connectMs }) => {
    const port = readSerialAddress(address);
    // The native library comes only where there is a serial printer.
    const open = async () => (await import("../transports/serial.ts")).openSerialPort(port);
    return polledTransport({ open, wait, connectMs });
  },
};

/** The backend for a printer: by what it can tell of itself, and how it is reached. */
export function backendFor(printer: PrinterRecord, settings: BackendSettings): Backend {
  const { transport, address } = printer;
  if (transport === "virtual") {
    const stamp = () => new Date(settings.clock.now()).toISOString().replace(/\D/g, "");
    return createVirtualBackend({ printer, draw: settings.draw, pictures: settings.pictures, stamp });
  }
  if (transport === "spooler" && process.platform === "win32") {
    return createSpoolerBackend({ ...settings, spooler: createWindowsSpooler(address, systemWinspool) });
  }
  if (transport === "ipp" || transport === "spooler") {
    const where = transport === "ipp" ? { uri: address } : cupsAddress(address);
    return createSpoolerBackend({ ...settings, spooler: createIppSpooler({ ...where, ...settings }) });
  }
  const connect = TRANSPORTS[transport]?.(address, settings);
  if (!connect) throw new BridgeError("PRINTER_UNBOUND", `There is no way to a ${transport} printer here.`);
  return printer.feedback === "printer"
    ? createZplBackend({ ...settings, connect, rfid: printer.rfid, answersOutlive: transport !== "tcp" })
    : createNoFeedbackBackend({ ...settings, connect });
}

let winspool: Promise<Winspool> | undefined;

/** Windows' spooler, whose library is loaded where there is one. */
function systemWinspool(): Promise<Winspool> {
  winspool ??= import("../transports/winspool.ts").then((module) => module.systemWinspool());
  return winspool;
}
