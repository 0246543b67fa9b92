import { type Author, differences } from "./audit.ts";
import type { PrinterRecord } from "./printer.ts";
import type { Registry } from "./registry.ts";

/** Adds a printer, or changes the one that has its id. Answers which of the two it was. */
export function savePrinter(
  registry: Registry,
  printer: PrinterRecord,
  { actor, at }: Author,
): "added" | "changed" {
  return registry.together(() => {
    const before = registry.printers.get(printer.id);
    const what = before ? "changed" : "added";
    registry.printers.put(printer.id, printer);
    const detail = before
      ? differences(before, printer)
      : { name: printer.name, transport: printer.transport, address: printer.address };
    registry.audit.add({ at, actor, action: `printer.${what}`, subject: printer.id, detail });
    return what;
  });
}

export function removePrinter(registry: Registry, id: string, { actor, at }: Author): boolean {
  return registry.together(() => {
    const before = registry.printers.get(id);
    const removed = registry.printers.remove(id);
    const detail = before ? { name: before.name, address: before.address } : {};
    if (removed) registry.audit.add({ at, actor, action: "printer.removed", subject: id, detail });
    return removed;
  });
}
