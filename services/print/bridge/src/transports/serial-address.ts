import { BridgeError } from "../domain/errors.ts";

const FLOWS = ["xonxoff", "rtscts", "none"] as const;

export interface SerialOptions {
  readonly path: string;
  readonly baudRate: number;
  /** How the printer says that its memory is full. */
  readonly flow: (typeof FLOWS)[number];
}

/**
 * `path`, with `?baud=115200` and `&flow=rtscts` where they are not what printers come with: 9600 and
 * XON/XOFF.
 */
export function readSerialAddress(address: string): SerialOptions {
  const [path = "", query = ""] = address.split("?");
  const { baud = "9600", flow = "xonxoff", ...unknown } = Object.fromEntries(new URLSearchParams(query));
  const baudRate = Number(baud);
  const known = FLOWS.find((name) => name === flow);
  if (
    path === "" ||
    !Number.isInteger(baudRate) ||
    baudRate < 300 ||
    baudRate > 4_000_000 ||
    !known ||
    Object.keys(unknown).length > 0
  ) {
    throw new BridgeError(
      "PROTOCOL_ERROR",
      `"${address}" is not a serial port like /dev/ttyS0?baud=9600&flow=xonxoff (or rtscts, or none).`,
    );
  }
  return { path, baudRate, flow: known };
}
