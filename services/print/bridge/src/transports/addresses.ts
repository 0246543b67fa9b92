import { BridgeError } from "../domain/errors.ts";
import type { PrinterRecord } from "../domain/printer.ts";
import { readHostPort } from "./host-port.ts";
import { readSerialAddress } from "./serial-address.ts";
import { readUsbAddress } from "./usb-address.ts";

/** Says what is wrong with an address before anything is made of it. Empty is not wrong: nothing is bound yet. */
export function assertAddress({ transport, address }: Pick<PrinterRecord, "transport" | "address">): void {
  if (address === "") return;
  if (transport === "tcp") readHostPort(address);
  if (transport === "serial") readSerialAddress(address);
  if (transport === "usb") readUsbAddress(address);
  if (transport === "ipp" && !["ipp:", "ipps:"].includes(URL.parse(address)?.protocol ?? ""))
    throw new BridgeError("PROTOCOL_ERROR", `"${address}" is not like ipp://host/ipp/print.`, {
      field: "address",
    });
}
