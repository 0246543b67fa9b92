import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Makers } from "../domain/makers.ts";

/** Set in addresses that nobody was assigned: made up by a device for its privacy, or by a program. */
const LOCAL = 0x02;

/** The IEEE's table of who has which prefix of hardware addresses: read when it is asked for the first time. */
export function createMakers(): Makers {
  let names: ReadonlyMap<string, string> | undefined;
  return {
    of: (mac) => {
      if (Number.parseInt(mac.slice(0, 2), 16) & LOCAL) return null;
      names ??= readNames();
      return names.get(mac.slice(0, 8).replaceAll(":", "").toUpperCase()) ?? null;
    },
  };
}

/** Prefixes with the names alone: the rest of each entry is a postal address. */
function readNames(): ReadonlyMap<string, string> {
  const path = createRequire(import.meta.url).resolve("oui-data");
  const entries = Object.entries(JSON.parse(readFileSync(path, "utf8")) as Record<string, string>);
  return new Map(entries.map(([prefix, entry]) => [prefix, entry.slice(0, `${entry}\n`.indexOf("\n"))]));
}
