import type { Scope6 } from "./config6.ts";
import { type OptionBook, readOptionValues } from "./option-values.ts";
import type { Placed, Report } from "./shape.ts";
import type { Place, TomlNode } from "./toml-document.ts";

export interface RawScope6 {
  readonly options?: Placed<TomlNode> | undefined;
  readonly preferred_time?: number | undefined;
  readonly valid_time?: number | undefined;
  readonly place?: Place;
}

export type ScopeOf6 = (from: RawScope6) => Scope6;

export function readScope6(from: RawScope6, book: OptionBook, report: Report): Scope6 {
  const { preferred_time: preferred, valid_time: valid, place } = from;
  // RFC 9915 section 21.6: clients discard an address whose preferred lifetime is the longer one.
  if (place && preferred !== undefined && valid !== undefined && preferred > valid) {
    report.add(place, "preferred_time must not be longer than valid_time.");
  }
  return {
    options: readOptionValues(from.options, book, report),
    preferredTime: preferred,
    validTime: valid,
  };
}

const OF_IPV4 = ["default_time", "min_time", "max_time", "next_server", "server_name"];

/** What only a level of IPv4 can give. */
export function refuseOfIpv4(raw: object & { readonly place: Place }, report: Report): void {
  const found = OF_IPV4.filter((key) => Object.hasOwn(raw, key));
  if (found.length > 0) {
    const verb = found.length === 1 ? "is" : "are";
    report.add(raw.place, `${found.join(", ")} ${verb} for IPv4: here, give preferred_time and valid_time.`);
  }
}
