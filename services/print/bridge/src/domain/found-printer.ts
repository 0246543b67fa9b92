import { type Static, Type } from "typebox";
import { Language, type PrinterRecord, Transport } from "./printer.ts";

/** By which ways printers are looked for. */
export const VIAS = ["mdns", "zebra", "cups", "usb", "serial"] as const;
export const Via = Type.Enum([...VIAS]);
export type Via = (typeof VIAS)[number];

const Way = Type.Object({ via: Via, transport: Transport, address: Type.String() });

/** A printer that is there, with what the administrator would have to type to add it. */
export const FoundPrinter = Type.Object({
  id: Type.String({ description: "Stays the same while the search goes on." }),
  name: Type.String({ description: "What it calls itself." }),
  model: Type.Union([Type.String(), Type.Null()]),
  serial: Type.Union([Type.String(), Type.Null()]),
  transport: Transport,
  address: Type.String(),
  languages: Type.Array(Language, { description: "Empty where it does not say." }),
  dpmm: Type.Union([Type.Integer(), Type.Null()]),
  sure: Type.Boolean({
    description: "False for a port that something else may be plugged into, or an address that is a guess.",
  }),
  ways: Type.Array(Way, { description: "Every way by which it was found; the best one is above." }),
  added: Type.Union([Type.String(), Type.Null()], {
    description: "The id under which the bridge has it already.",
  }),
});
export type FoundPrinter = Static<typeof FoundPrinter>;

/** What one answer to one way of looking tells. */
export interface Sighting {
  readonly via: Via;
  readonly transport: Transport;
  readonly address: string;
  readonly name: string;
  readonly model?: string | undefined;
  readonly serial?: string | undefined;
  readonly languages: readonly Language[];
  readonly dpmm?: number | undefined;
  /** Whether there is a printer at all. */
  readonly sure: boolean;
  /** Whether the address is a guess from where the printer is. */
  readonly guessed?: boolean;
  /** Marks by which another answer may know the same device. */
  readonly marks: readonly string[];
}

/** The mark of an address: the same device, however the address is written. */
export function addressMark({ transport, address }: Pick<PrinterRecord, "transport" | "address">): string {
  const plain = address.toLowerCase();
  if (transport === "tcp") return `tcp:${plain.replace(/:9100$/, "")}`;
  if (transport === "serial") return `serial:${address.split("?")[0]}`;
  if (transport === "ipp") return `ipp:${plain.replace(/^ipps?:\/\//, "").replace(/:631(?=\/)/, "")}`;
  return `${transport}:${address}`;
}

/** A serial number is a mark only with its maker, and only if it looks like one. */
export function serialMarks(maker: string | undefined, serial: string | undefined): string[] {
  const [first = ""] = (maker ?? "").toLowerCase().match(/[a-z0-9]+/) ?? [];
  const isOne = serial && serial.length >= 4 && !/^(.)\1*$/.test(serial);
  return first && isOne ? [`made:${first}:${serial.toLowerCase()}`] : [];
}

/** Lines that tell the most of a job come first. */
const BEST: readonly Transport[] = ["tcp", "usb", "ipp", "spooler", "serial", "virtual"];
const ANSWERS_EACH = 20;

/** The answers that belong to one printer. */
interface Device {
  readonly id: string;
  readonly marks: Set<string>;
  readonly sightings: Map<string, Sighting>;
}

/** Puts answers together: the same printer, seen by several ways, is one. */
export function createFoundList(limit: number) {
  const devices: Device[] = [];
  let lastId = 0;
  let leftOut = 0;

  return {
    /** Answers whether there is anything new in it. */
    add(sighting: Sighting): boolean {
      // An address that is only guessed says nothing of whose it is.
      const marks = [...sighting.marks, ...(sighting.guessed ? [] : [addressMark(sighting)])];
      const [first, ...others] = devices.filter((device) => marks.some((mark) => device.marks.has(mark)));
      if (!first && devices.length >= limit) {
        leftOut++;
        return true;
      }
      const device = first ?? { id: String(++lastId), marks: new Set(), sightings: new Map() };
      if (!first) devices.push(device);
      for (const other of others) {
        devices.splice(devices.indexOf(other), 1);
        for (const mark of other.marks) device.marks.add(mark);
        for (const [key, seen] of other.sightings) device.sightings.set(key, seen);
      }
      for (const mark of marks) device.marks.add(mark);
      const key = `${sighting.via} ${sighting.transport} ${sighting.address}`;
      const before = device.sightings.get(key);
      if (before ? sighting.guessed : device.sightings.size >= ANSWERS_EACH) return false;
      device.sightings.set(key, sighting);
      return JSON.stringify(before) !== JSON.stringify(sighting) || others.length > 0;
    },
    /** Printers first, then ports that may have one; those that speak a label language before others. */
    printers(known: readonly PrinterRecord[]): FoundPrinter[] {
      const found = devices.map((device) => describe(device, known));
      const rank = ({ sure, languages }: FoundPrinter) => (sure ? 0 : 2) + (languages.length > 0 ? 0 : 1);
      return found.sort((one, other) => rank(one) - rank(other));
    },
    get leftOut() {
      return leftOut;
    },
  };
}

function describe({ id, marks, sightings }: Device, known: readonly PrinterRecord[]): FoundPrinter {
  const worth = ({ transport, guessed }: Sighting) => BEST.indexOf(transport) + (guessed ? BEST.length : 0);
  const seen = [...sightings.values()].sort((one, other) => worth(one) - worth(other));
  const [best] = seen as [Sighting, ...Sighting[]];
  const first = <T>(pick: (sighting: Sighting) => T | undefined) =>
    seen.map(pick).find((value) => value !== undefined);
  const addresses = new Set([...marks, ...seen.map(addressMark)]);
  const added = known.find((printer) => printer.address && addresses.has(addressMark(printer)));
  return {
    id,
    name: best.name,
    model: first(({ model }) => model) ?? null,
    serial: first(({ serial }) => serial) ?? null,
    transport: best.transport,
    address: best.address,
    languages: [...(seen.find(({ languages }) => languages.length > 0)?.languages ?? [])],
    dpmm: first(({ dpmm }) => dpmm) ?? null,
    sure: seen.some(({ sure, guessed }) => sure && !guessed),
    ways: seen.map(({ via, transport, address }) => ({ via, transport, address })),
    added: added?.id ?? null,
  };
}
