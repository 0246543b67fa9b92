import { isIPv4 } from "node:net";
import type { Finder } from "../domain/discovery.ts";
import { BridgeError } from "../domain/errors.ts";
import { type Sighting, serialMarks } from "../domain/found-printer.ts";
import { dpmmIn, languagesIn, plainText } from "../domain/printer-clues.ts";
import { cupsAddress } from "../transports/cups-address.ts";
import { GROUP, type IppGroup } from "../transports/ipp-codec.ts";
import { askIpp, FIRST_ERROR, textsOf } from "../transports/ipp-request.ts";

/** CUPS's own operation beside those of IPP: every queue it has. */
const CUPS_GET_PRINTERS = 0x4002;
const WANTED = ["printer-name", "printer-info", "printer-make-and-model", "device-uri", "printer-uuid"];

/** The queues of CUPS on this machine. */
export function cupsFinder(limits: { readonly connectMs: number; readonly readMs: number }): Finder {
  return {
    via: "cups",
    find: async (lookout) => {
      for (const queue of await queues(limits)) {
        lookout.heard();
        const sighting = describe(queue);
        if (sighting) lookout.see(sighting);
        else lookout.malformed();
      }
    },
  };
}

async function queues(limits: {
  readonly connectMs: number;
  readonly readMs: number;
}): Promise<ReadonlyArray<IppGroup["attributes"]>> {
  const where = { ...cupsAddress(), ...limits };
  try {
    const reply = await askIpp(where, CUPS_GET_PRINTERS, {
      "requested-attributes": WANTED.map((value) => ({ tag: "keyword" as const, value })),
    });
    // Not found is how it says that it has none.
    if (reply.code >= FIRST_ERROR) return [];
    return reply.groups.filter(({ tag }) => tag === GROUP.printer).map(({ attributes }) => attributes);
  } catch (error) {
    // A machine without CUPS has no queues, and nothing is wrong with that.
    if (error instanceof BridgeError && error.code === "PRINTER_OFFLINE") return [];
    throw error;
  }
}

function describe(queue: IppGroup["attributes"]): Sighting | undefined {
  const said = (name: string) => plainText(textsOf(queue[name])[0]);
  const address = said("printer-name");
  if (!address) return undefined;
  const device = URL.parse(textsOf(queue["device-uri"])[0] ?? "");
  const deviceName = device ? plainText(decode(`${device.hostname} ${device.pathname}`)) : undefined;
  const makerAndModel = said("printer-make-and-model");
  const name = said("printer-info") ?? address;
  const serial = plainText(device?.searchParams.get("serial") ?? undefined);
  const uuid = said("printer-uuid")
    ?.toLowerCase()
    .replace(/^urn:uuid:/, "");
  const isNamed = makerAndModel && !/^local raw printer$/i.test(makerAndModel);
  const isUsb = device?.protocol === "usb:";
  return {
    via: "cups",
    transport: "spooler",
    address,
    name,
    model: isNamed ? makerAndModel : isUsb ? deviceName : undefined,
    serial,
    languages: languagesIn(makerAndModel, isUsb ? deviceName : undefined, name, address),
    dpmm: dpmmIn(makerAndModel, isUsb ? deviceName : undefined, name),
    sure: true,
    marks: [
      ...(uuid ? [`uuid:${uuid}`] : []),
      ...(isUsb ? serialMarks(decode(device.hostname), serial) : []),
      ...(device ? networkMarks(device) : []),
    ],
  };
}

/** A queue that sends to a printer of the network is that printer. */
function networkMarks({ protocol, hostname, port, pathname }: URL): string[] {
  if (!isIPv4(hostname) && !hostname.includes(".")) return [];
  const host = hostname.toLowerCase();
  if (protocol === "socket:") return [`tcp:${host}${port && port !== "9100" ? `:${port}` : ""}`];
  if (protocol === "ipp:" || protocol === "ipps:")
    return [`ipp:${host}${port && port !== "631" ? `:${port}` : ""}${pathname.toLowerCase()}`];
  return [];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
