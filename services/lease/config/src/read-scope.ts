import type { Scope } from "./config.ts";
import { type OptionBook, readOptionValues } from "./option-values.ts";
import type { Placed, Report } from "./shape.ts";
import type { Place, TomlNode } from "./toml-document.ts";

export interface RawScope {
  readonly options?: Placed<TomlNode> | undefined;
  readonly next_server?: number | undefined;
  readonly server_name?: string | undefined;
  readonly default_time?: number | undefined;
  readonly min_time?: number | undefined;
  readonly max_time?: number | undefined;
  readonly place?: Place;
}

export function readScope(from: RawScope, book: OptionBook, report: Report): Scope {
  checkTimes(from, report);
  return {
    options: readOptionValues(from.options, book, report),
    nextServer: from.next_server,
    serverName: from.server_name,
    defaultTime: from.default_time,
    minTime: from.min_time,
    maxTime: from.max_time,
  };
}

function checkTimes(from: RawScope, report: Report): void {
  const { min_time: min, default_time: usual, max_time: max, place } = from;
  const inOrder =
    (min ?? 0) <= (usual ?? min ?? 0) && (usual ?? min ?? 0) <= (max ?? Number.POSITIVE_INFINITY);
  if (!inOrder && place)
    report.add(place, "min_time, default_time and max_time must not fall in this order.");
}
