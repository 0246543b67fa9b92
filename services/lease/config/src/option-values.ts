import { OPTION_CODES, OPTIONS, type OptionDefinition } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";
import { bytes, CUSTOM_TYPES, Unfit } from "@frontdesk/lease-options/option-types";
import { OPTION6_CODES, OPTIONS6 } from "@frontdesk/lease-options/option6-table";
import { CUSTOM_TYPES6 } from "@frontdesk/lease-options/option6-types";
import type { RawConfig } from "./raw-config.ts";
import type { Placed, Report } from "./shape.ts";
import { plainValue, type TomlNode } from "./toml-document.ts";

/** The options that may stand in `options = { … }`: those of the table and the custom ones. */
export interface OptionBook {
  readonly custom: ReadonlyMap<number, OptionDefinition>;
  readonly codes: ReadonlyMap<string, number>;
  readonly table: Readonly<Record<number, OptionDefinition>>;
  readonly maxCode: number;
  /** The page that names them. */
  readonly page: string;
}

export const readOptionBook = (raw: RawConfig, report: Report): OptionBook =>
  readBook(raw.option, "[[option]]", CUSTOM_TYPES, report, {
    codes: OPTION_CODES,
    table: OPTIONS,
    maxCode: 254,
    page: "docs/lease-engine.md, or define it with [[option]]",
  });

export const readOptionBook6 = (raw: RawConfig, report: Report): OptionBook =>
  readBook(raw.option6, "[[option6]]", CUSTOM_TYPES6, report, {
    codes: OPTION6_CODES,
    table: OPTIONS6,
    maxCode: 65_535,
    page: "docs/lease-v6.md, or define it with [[option6]]",
  });

/** A table of known options with those that the configuration defines. */
function readBook(
  definitions: RawConfig["option"],
  section: string,
  types: typeof CUSTOM_TYPES,
  report: Report,
  known: Omit<OptionBook, "custom">,
): OptionBook {
  const custom = new Map<number, OptionDefinition>();
  const codes = new Map(known.codes);
  for (const { code, name, type, place } of definitions ?? []) {
    if (!code || !name || !type) {
      report.add(place, `an ${section} needs code, name and type.`);
      continue;
    }
    const written = Object.hasOwn(types, type.value) ? types[type.value] : undefined;
    const taken = known.table[code.value] ?? custom.get(code.value);
    if (!written) {
      report.add(type.place, `type must be one of ${Object.keys(types).join(", ")}.`);
    } else if (taken) {
      report.add(code.place, `option ${code.value} is already ${taken.name}.`);
    } else if (codes.has(name.value)) {
      report.add(name.place, `${name.value} is already the name of option ${codes.get(name.value)}.`);
    } else {
      custom.set(code.value, { name: name.value, type: written, rfc: "", engine: false });
      codes.set(name.value, code.value);
    }
  }
  return { ...known, custom, codes };
}

/** Encodes `options = { routers = ["10.0.0.1"], 224 = "0x01" }`. */
export function readOptionValues(
  node: Placed<TomlNode> | undefined,
  book: OptionBook,
  report: Report,
): Options {
  const options: Options = new Map();
  if (!node) return options;
  if (!(node.value.value instanceof Map)) {
    report.add(node.place, 'options must be a table like { routers = ["10.0.0.1"] }.');
    return options;
  }
  for (const [key, child] of node.value.value as ReadonlyMap<string, TomlNode>) {
    const code = /^\d+$/.test(key) ? Number(key) : book.codes.get(key);
    if (code === undefined || code < 1 || code > book.maxCode) {
      report.add(child.place, `${key} is not an option: name one of ${book.page}.`);
      continue;
    }
    const definition = book.table[code] ?? book.custom.get(code);
    if (definition?.engine) {
      report.add(child.place, `${key} is set by the engine itself and cannot be given.`);
      continue;
    }
    const type = definition?.type ?? bytes;
    try {
      options.set(code, type.write(plainValue(child)));
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      report.add(child.place, `${key} must be ${error.message}.`);
    }
  }
  return options;
}
