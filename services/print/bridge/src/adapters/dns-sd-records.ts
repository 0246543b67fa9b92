import type { Answer, Packet } from "dns-packet";
import { type Sighting, serialMarks } from "../domain/found-printer.ts";
import { dpmmIn, languagesIn, plainText } from "../domain/printer-clues.ts";

/** The kinds of service that printers announce (RFC 6763, and Apple's Bonjour Printing). */
export const SERVICES = {
  "_pdl-datastream._tcp.local": "tcp",
  "_ipp._tcp.local": "ipp",
  "_ipps._tcp.local": "ipps",
  "_printer._tcp.local": "lpd",
} as const;
type Service = keyof typeof SERVICES;
export const SERVICE_NAMES = Object.keys(SERVICES) as Service[];

/** The most names that are remembered of one kind of record. */
const MAX_NAMES = 500;
const MAX_TEXTS = 60;

interface Place {
  readonly target: string;
  readonly port: number;
}

/** What was heard by multicast DNS, put together: names, places, texts, addresses. */
export function createRecords(isNear: (address: string) => boolean) {
  const instances = new Map<string, { name: string; service: Service }>();
  const places = new Map<string, Place>();
  const texts = new Map<string, ReadonlyMap<string, string>>();
  const addresses = new Map<string, string>();
  /** Of which something came in that has not been looked at. */
  const touched = new Set<string>();

  function take(record: Answer): void {
    const name = record.name.toLowerCase();
    if (record.type === "PTR") {
      const service = SERVICE_NAMES.find((each) => each === name);
      const instance = String(record.data);
      const key = instance.toLowerCase();
      if (!service || !key.endsWith(`.${service}`) || record.ttl === 0) return;
      put(instances, key, { name: instance.slice(0, -service.length - 1), service });
      touched.add(key);
    } else if (record.type === "SRV") {
      const { target, port } = record.data;
      put(places, name, { target: target.toLowerCase(), port });
      touched.add(name);
    } else if (record.type === "TXT") {
      put(texts, name, readTexts(record.data));
      touched.add(name);
    } else if (record.type === "A" && addresses.get(name) !== record.data && isNear(record.data)) {
      put(addresses, name, record.data);
      for (const [key, { target }] of places) if (target === name) touched.add(key);
    }
  }

  return {
    take: ({ answers = [], additionals = [] }: Packet) => [...answers, ...additionals].forEach(take),
    /** What has to be asked for by name, because it did not come by itself. */
    missing(): Array<{ name: string; type: "SRV" | "TXT" | "A" }> {
      return [...instances.keys()].flatMap((key) => {
        const place = places.get(key);
        // A name with a dot inside cannot be asked for: the packet library takes every dot for the end of a label.
        const plain = !instances.get(key)?.name.includes(".");
        return [
          ...(plain && !place ? [{ name: key, type: "SRV" as const }] : []),
          ...(plain && !texts.has(key) ? [{ name: key, type: "TXT" as const }] : []),
          ...(place && !addresses.has(place.target) ? [{ name: place.target, type: "A" as const }] : []),
        ];
      });
    },
    /** The printers whose place and address are known, and of which anything has come in since the last time. */
    sightings(): Sighting[] {
      const keys = [...touched];
      touched.clear();
      return keys.flatMap((key) => {
        const instance = instances.get(key);
        const place = places.get(key);
        const host = place && addresses.get(place.target);
        if (!instance || !host) return [];
        return [sighting(instance.name, instance.service, place, host, texts.get(key) ?? new Map())];
      });
    },
  };
}

function sighting(
  instance: string,
  service: Service,
  { target, port }: Place,
  host: string,
  text: ReadonlyMap<string, string>,
): Sighting {
  const said = (name: string) => plainText(text.get(name));
  const makerAndModel = [said("usb_mfg"), said("usb_mdl")].filter(Boolean).join(" ") || undefined;
  const model = said("ty") ?? makerAndModel ?? said("product")?.replace(/^\(|\)$/g, "");
  const name = plainText(instance) ?? host;
  const clues = [said("usb_cmd"), said("pdl"), model, makerAndModel];
  const uuid = said("uuid")?.toLowerCase();
  const queue = (said("rp") ?? "ipp/print").replace(/^\//, "");
  const scheme = SERVICES[service];
  const isIpp = scheme === "ipp" || scheme === "ipps";
  return {
    via: "mdns",
    transport: isIpp ? "ipp" : "tcp",
    // There is no way to the line printer protocol here; who speaks it mostly takes raw data too.
    address: isIpp ? `${scheme}://${host}:${port}/${queue}` : `${host}:${scheme === "lpd" ? 9100 : port}`,
    name,
    model,
    serial: said("usb_sn") ?? said("serial"),
    languages: languagesIn(...clues, name),
    dpmm: dpmmIn(model, name),
    sure: true,
    guessed: scheme === "lpd",
    marks: [
      `announced:${host}:${instance.toLowerCase()}`,
      ...(uuid ? [`uuid:${uuid}`] : []),
      ...(scheme === "tcp" ? [`tcp:${target}${port === 9100 ? "" : `:${port}`}`] : []),
      ...serialMarks(said("usb_mfg") ?? model, said("usb_sn") ?? said("serial")),
    ],
  };
}

/** `key=value`, each in a string of its own; keys are the same in capitals (RFC 6763, 6.4). */
function readTexts(data: Buffer | string | ReadonlyArray<Buffer | string>): ReadonlyMap<string, string> {
  const strings = Array.isArray(data) ? data : [data];
  const texts = new Map<string, string>();
  for (const string of strings.slice(0, MAX_TEXTS)) {
    const entry = String(string);
    const at = entry.indexOf("=");
    const key = (at < 0 ? entry : entry.slice(0, at)).toLowerCase();
    if (key && at > 0 && !texts.has(key)) texts.set(key, entry.slice(at + 1));
  }
  return texts;
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size < MAX_NAMES || map.has(key)) map.set(key, value);
}
