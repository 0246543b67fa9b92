import { type Static, Type } from "typebox";

export const Transport = Type.Enum(["tcp", "usb", "serial", "spooler", "ipp", "virtual"]);
export type Transport = Static<typeof Transport>;

export const Language = Type.Enum(["zpl", "epl", "cpcl", "tspl", "escpos", "sbpl"]);
export type Language = Static<typeof Language>;

export const Feedback = Type.Enum(["none", "spooler", "printer"]);
export type Feedback = Static<typeof Feedback>;

const Id = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" });

/** A printer as the administrator describes it. Without an address it is a name not yet bound to a device. */
export const PrinterRecord = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: 120 }),
    transport: Transport,
    address: Type.String({
      maxLength: 400,
      description: "Empty while the printer is not bound to a device.",
    }),
    languages: Type.Array(Language, { minItems: 1, maxItems: 6, uniqueItems: true }),
    dpmm: Type.Integer({ minimum: 6, maximum: 24 }),
    rfid: Type.Boolean(),
    feedback: Feedback,
    widthMm: Type.Number({ minimum: 5, maximum: 500, default: 101.6 }),
    heightMm: Type.Number({ minimum: 5, maximum: 1000, default: 152.4 }),
  },
  { additionalProperties: false },
);
export type PrinterRecord = Static<typeof PrinterRecord>;

/** A printer as a web page sees it: under the name its origin was given. */
export const Printer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  transport: Transport,
  languages: Type.Array(Language),
  dpmm: Type.Integer(),
  rfid: Type.Boolean(),
  feedback: Feedback,
  online: Type.Boolean(),
});
export type Printer = Static<typeof Printer>;

export const PrinterStatus = Type.Object({
  printer: Type.String(),
  online: Type.Boolean(),
  state: Type.Enum(["ready", "printing", "stopped", "offline", "unknown"]),
  reasons: Type.Array(Type.String(), {
    description: "Why it is not ready: paper-out, ribbon-out, head-open, paused, …",
  }),
  labelsRemaining: Type.Integer({ minimum: 0 }),
  checkedAt: Type.String({ format: "date-time" }),
});
export type PrinterStatus = Static<typeof PrinterStatus>;

/** What a device, or whoever speaks for it, tells of itself. */
export interface DeviceStatus {
  readonly online: boolean;
  readonly state: PrinterStatus["state"];
  readonly reasons: readonly string[];
  readonly labelsRemaining: number;
}

export const OFFLINE: DeviceStatus = {
  online: false,
  state: "offline",
  reasons: ["offline"],
  labelsRemaining: 0,
};

/** Connected, and saying nothing when asked. */
export const SILENT: DeviceStatus = {
  online: true,
  state: "unknown",
  reasons: ["not-answering"],
  labelsRemaining: 0,
};

/** What can be said of a device by default: only a ZPL printer on a two-way line tells how it fares. */
export function defaultFeedback(transport: Transport, languages: readonly Language[]): Feedback {
  if (transport === "spooler" || transport === "ipp") return "spooler";
  if (transport === "virtual") return "printer";
  return languages.includes("zpl") ? "printer" : "none";
}
