import type { Clock } from "@frontdesk/kit/clock";
import type { Values } from "@frontdesk/kit/settings";
import type { Wait } from "../domain/backend.ts";
import { createDiscovery, type Discovery, type Finder } from "../domain/discovery.ts";
import type { Via } from "../domain/found-printer.ts";
import type { PrinterRecord } from "../domain/printer.ts";
import type { printSettings } from "../settings.ts";
import { cupsFinder } from "./find-cups.ts";
import { mdnsFinder } from "./find-mdns.ts";
import { serialFinder } from "./find-serial.ts";
import { usbFinder } from "./find-usb.ts";
import { zebraFinder } from "./find-zebra.ts";
import { localLinks } from "./local-links.ts";

/** A busy office has some hundred in the time of a search. */
const MAX_PACKETS = 2_000;

/** Looks for printers by the ways that the settings allow. */
export function findPrinters(options: {
  readonly config: Values<typeof printSettings>;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly known: () => readonly PrinterRecord[];
}): Discovery {
  const { config } = options;
  const links = () => localLinks(config.PRINT_DISCOVERY_INTERFACES);
  const make: Readonly<Record<Via, () => Finder>> = {
    mdns: () => mdnsFinder(links),
    zebra: () => zebraFinder(links),
    cups: () => cupsFinder({ connectMs: config.PRINT_CONNECT_MS, readMs: config.PRINT_READ_MS }),
    usb: () => usbFinder(),
    serial: () => serialFinder(),
  };
  return createDiscovery({
    finders: config.PRINT_DISCOVERY_WAYS.map((via) => make[via]()),
    clock: options.clock,
    wait: options.wait,
    milliseconds: config.PRINT_DISCOVERY_MS,
    mostPrinters: config.PRINT_DISCOVERY_LIMIT,
    maxPackets: MAX_PACKETS,
    known: options.known,
  });
}
