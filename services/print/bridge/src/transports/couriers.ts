import type { Clock } from "@frontdesk/kit/clock";
import type { OpenChannel } from "../domain/channel.ts";
import type { Courier, Wait } from "../domain/courier.ts";
import { BridgeError } from "../domain/errors.ts";
import { createPlainCourier } from "../domain/plain-courier.ts";
import type { PrinterRecord, Transport } from "../domain/printer.ts";
import { createSpoolCourier } from "../domain/spool-courier.ts";
import { createZplCourier } from "../domain/zpl-courier.ts";
import { openDeviceFile } from "./device-file.ts";
import { createIppSpool } from "./ipp.ts";
import type { LabelRenderer } from "./label-renderer.ts";
import { polledTransport } from "./polled-channel.ts";
import { readSerialAddress } from "./serial-address.ts";
import { tcpTransport } from "./tcp.ts";
import { readUsbAddress } from "./usb-address.ts";
import { openUsbPrinter, systemUsbDevices, type UsbDevices } from "./usb-printer.ts";
import { createVirtualPrinter, type LabelShelf } from "./virtual.ts";
import { createWindowsSpool, type Winspool } from "./windows-spool.ts";

export interface CourierSettings {
  readonly clock: Clock;
  readonly wait: Wait;
  readonly connectMs: number;
  readonly readMs: number;
  readonly pollMs: number;
  readonly restMs: number;
  readonly recoverMs: number;
  readonly voidLimit: number;
  readonly renderer: LabelRenderer;
  readonly shelf: LabelShelf;
  readonly usbDevices?: UsbDevices;
}

/** How each kind of line is opened, from the address the administrator gave. */
const CHANNELS: Partial<Record<Transport, (address: string, settings: CourierSettings) => OpenChannel>> = {
  tcp: (address, { connectMs, readMs }) =>
    tcpTransport({ ...readHostPort(address), connectMs, endMs: readMs }),
  usb: (address, { wait, connectMs, usbDevices = systemUsbDevices }) => {
    const plugged = readUsbAddress(address);
    const open = plugged ? () => openUsbPrinter(plugged, usbDevices) : () => openDeviceFile(address);
    return polledTransport({ where: address, open, wait, connectMs });
  },
  serial: (address, { wait, connectMs }) => {
    const port = readSerialAddress(address);
    // The native library comes only where there is a serial printer.
    const open = async () => (await import("./serial.ts")).openSerialPort(port);
    return polledTransport({ where: port.path, open, wait, connectMs });
  },
};

export function courierFor(printer: PrinterRecord, settings: CourierSettings): Courier {
  if (printer.transport === "virtual") {
    const stamp = () => new Date(settings.clock.now()).toISOString().replace(/\D/g, "");
    return createVirtualPrinter({ printer, renderer: settings.renderer, shelf: settings.shelf, stamp });
  }
  if (printer.transport === "spooler" && process.platform === "win32") {
    return createSpoolCourier({ ...settings, spool: createWindowsSpool(printer.address, systemWinspool) });
  }
  if (printer.transport === "ipp" || printer.transport === "spooler") {
    const where =
      printer.transport === "ipp"
        ? { uri: printer.address }
        : {
            uri: `ipp://localhost/printers/${encodeURIComponent(printer.address)}`,
            ...cupsAddress(process.env.CUPS_SERVER),
          };
    return createSpoolCourier({ ...settings, spool: createIppSpool({ ...where, ...settings }) });
  }
  const open = CHANNELS[printer.transport]?.(printer.address, settings);
  if (!open)
    throw new BridgeError("PRINTER_UNBOUND", `There is no way to a ${printer.transport} printer here.`);
  return printer.feedback === "printer"
    ? createZplCourier({ ...settings, open, rfid: printer.rfid })
    : createPlainCourier({ ...settings, open });
}

/** Says what is wrong with an address before anything is made of it. Empty is not wrong: nothing is bound yet. */
export function assertAddress({ transport, address }: Pick<PrinterRecord, "transport" | "address">): void {
  if (address === "") return;
  if (transport === "tcp") readHostPort(address);
  if (transport === "serial") readSerialAddress(address);
  if (transport === "usb") readUsbAddress(address);
  if (transport === "ipp" && !["ipp:", "ipps:"].includes(URL.parse(address)?.protocol ?? ""))
    throw new BridgeError("PROTOCOL_ERROR", `"${address}" is not like ipp://host/ipp/print.`);
}

/** `host`, `host:port` or `[v6]:port`; 9100 is the custom. */
export function readHostPort(address: string): { host: string; port: number } {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(address);
  const port = Number(found?.[3] ?? 9100);
  if (!found || port < 1 || port > 65_535) {
    throw new BridgeError("PROTOCOL_ERROR", `"${address}" is not host:port.`);
  }
  return { host: (found[1] ?? found[2]) as string, port };
}

let winspool: Promise<Winspool> | undefined;

/** Windows' spooler, whose library is loaded where there is one. */
function systemWinspool(): Promise<Winspool> {
  winspool ??= import("./winspool.ts").then((module) => module.systemWinspool());
  return winspool;
}

const CUPS_SOCKET = "/run/cups/cups.sock";

/** Where CUPS is: the variable that its own tools read, or its socket on this machine. */
export function cupsAddress(server = CUPS_SOCKET): { socketPath?: string } {
  return server.startsWith("/") ? { socketPath: server } : {};
}
