import type { PrinterRecord } from "./printer.ts";

/** What a printer is reached by and spoken to with. */
const OF_CONNECTION = ["transport", "address", "rfid", "feedback"] as const;
/** What a virtual printer draws by; a real one is not told of it. */
const OF_PICTURE = ["dpmm", "widthMm", "heightMm"] as const;

/** Whether two descriptions mean the same device spoken to in the same way: then its connection stays. */
export function sameDevice(one: PrinterRecord, other: PrinterRecord): boolean {
  const fields = one.transport === "virtual" ? [...OF_CONNECTION, ...OF_PICTURE] : OF_CONNECTION;
  return fields.every((field) => one[field] === other[field]);
}
