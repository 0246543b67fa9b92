import { BridgeError } from "../domain/errors.ts";

export interface SerialOptions {
  readonly path: string;
  readonly baudRate: number;
}

/** `path` or `path?baud=115200`; 9600 is what printers come with. */
export function readSerialAddress(address: string): SerialOptions {
  const [path = "", query = ""] = address.split("?");
  const baudRate = Number(new URLSearchParams(query).get("baud") ?? 9600);
  if (path === "" || !Number.isInteger(baudRate) || baudRate < 300 || baudRate > 4_000_000) {
    throw new BridgeError("PROTOCOL_ERROR", `"${address}" is not a serial port like /dev/ttyS0?baud=9600.`);
  }
  return { path, baudRate };
}
