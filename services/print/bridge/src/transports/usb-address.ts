import { BridgeError } from "../domain/errors.ts";

/** A USB printer by what it says of itself, wherever it is plugged in. */
export interface UsbAddress {
  readonly vendorId: number;
  readonly productId: number;
  /** Needed only where there are two of a kind. */
  readonly serial: string | undefined;
}

/** `usb://0a5f:0166` or `usb://0a5f:0166/serial`, in hex as lsusb shows it; anything else is a device file. */
export function readUsbAddress(address: string): UsbAddress | undefined {
  if (!address.startsWith("usb:")) return undefined;
  const found = /^usb:\/\/([0-9a-f]{4}):([0-9a-f]{4})(?:\/((?:[^/?#%]|%[0-7][0-9a-f])+))?$/i.exec(address);
  if (!found) {
    throw new BridgeError(
      "PROTOCOL_ERROR",
      `"${address}" is not like usb://0a5f:0166 or usb://0a5f:0166/serial.`,
    );
  }
  const [, vendor = "", product = "", serial] = found;
  return {
    vendorId: Number.parseInt(vendor, 16),
    productId: Number.parseInt(product, 16),
    serial: serial === undefined ? undefined : decodeURIComponent(serial),
  };
}

export function writeUsbAddress({ vendorId, productId, serial }: UsbAddress): string {
  const hex = (value: number) => value.toString(16).padStart(4, "0");
  const end = serial ? `/${encodeURIComponent(serial)}` : "";
  return `usb://${hex(vendorId)}:${hex(productId)}${end}`;
}
