/**
 * How a Zebra print server answers those who look for it, as far as a captured exchange shows
 * (docs/decisions/0010-finding-printers.md). Places that nobody has explained are left zero.
 */
export const ZEBRA_PORT = 4201;
const QUESTION = Buffer.from([0x2e, 0x2c, 0x3a, 0x01, 0x00, 0x00]);
const LENGTH = 256;

export const isZebraQuestion = (bytes: Buffer) => bytes.equals(QUESTION);

export function answerZebra(printer: {
  readonly model: string;
  readonly serial: string;
  readonly firmware: string;
  readonly name: string;
  readonly address: string;
}): Buffer {
  const bytes = Buffer.alloc(LENGTH);
  const text = (at: number, length: number, value: string) =>
    bytes.write(value.slice(0, length), at, length, "latin1");
  bytes.set([0x3a, 0x2c, 0x2e, 0x03]);
  text(4, 8, "79071");
  text(12, 20, printer.model);
  text(39, 10, printer.firmware);
  text(49, 4, "ZBR");
  // The maker's own range of hardware addresses, and a number of ours.
  bytes.set([0x00, 0x07, 0x4d, 0x00, 0x00, 0x01], 54);
  text(60, 10, printer.serial);
  bytes[70] = 1;
  bytes.set(printer.address.split(".").map(Number), 72);
  bytes.set([255, 255, 255, 0], 76);
  text(84, 25, printer.name);
  return bytes;
}
