import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Journal } from "./journal.ts";
import { type DeviceStatus, OFFLINE, type PrinterRecord, type PrinterStatus } from "./printer.ts";

/** How each printer was when it was last heard of. Changes are written, and so told to everybody. */
export interface PrinterStatuses {
  heard(printer: string, status: DeviceStatus): void;
  isOnline(printer: string): boolean;
  last(printer: string): PrinterStatus;
  forget(printer: string): void;
}

export function createPrinterStatuses(options: {
  readonly journal: Pick<Journal, "commit">;
  readonly clock: Clock;
  readonly log: Log;
  /** How the administrator describes a printer. */
  readonly recordOf: (printer: string) => Pick<PrinterRecord, "name" | "address"> | undefined;
  readonly closing: AbortSignal;
}): PrinterStatuses {
  const { journal, clock, log } = options;
  const statuses = new Map<string, PrinterStatus>();
  /** Printers whose status the disk has refused: nobody was told of it, so it is written when it is heard again. */
  const untold = new Set<string>();

  function heard(printer: string, { reasons, ...status }: DeviceStatus): void {
    const before = statuses.get(printer);
    const now: PrinterStatus = {
      printer,
      ...status,
      reasons: [...reasons],
      checkedAt: new Date(clock.now()).toISOString(),
    };
    statuses.set(printer, now);
    const same = before && before.state === now.state && String(before.reasons) === String(now.reasons);
    // Which printers work this moment is told by their jobs; here only what a person would want to know.
    const working =
      before && [before.state, now.state].every((state) => state === "ready" || state === "printing");
    const isUntold = untold.delete(printer);
    if (options.closing.aborted || ((same || working) && !isUntold)) return;
    if (!same && !working) logChange(printer, before, now);
    journal.commit([{ kind: "status", status: now }]).catch((error: unknown) => {
      untold.add(printer);
      if (!isUntold) log.error({ err: error, printer }, "printer status not written; trying again");
    });
  }

  /** Once for each change, with what a person needs to find the printer. */
  function logChange(printer: string, before: PrinterStatus | undefined, now: PrinterStatus): void {
    const { name, address } = options.recordOf(printer) ?? { name: printer, address: "" };
    const about = { printer, name, address, state: now.state, reasons: now.reasons };
    if (now.state === "ready" || now.state === "printing") {
      if (before) log.info(about, "printer is ready again");
    } else log.warn(about, now.online ? "printer is stopped" : "printer is offline");
  }

  return {
    heard,
    isOnline: (printer) => statuses.get(printer)?.online === true,
    last: (printer) => {
      const unseen = { ...OFFLINE, reasons: ["not-asked-yet"], state: "unknown" as const };
      return statuses.get(printer) ?? { printer, ...unseen, checkedAt: new Date(clock.now()).toISOString() };
    },
    forget: (printer) => {
      statuses.delete(printer);
      untold.delete(printer);
    },
  };
}
