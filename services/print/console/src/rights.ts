import type { OriginBody, OriginRow } from "./api.ts";
import { t } from "./words/origins.ts";

/** A name that an origin has for a printer. A printer may have several; a name stands for one printer alone. */
export interface Alias {
  readonly name: string;
  readonly printer: string;
}

/** What an origin may do, as it is edited. */
export interface Rights {
  readonly every: boolean;
  readonly aliases: readonly Alias[];
  readonly raw: boolean;
  readonly templates: boolean;
  readonly rfid: boolean;
  readonly open: boolean;
}

export function rightsOf(origin?: Pick<OriginRow, "aliases" | "rights" | "open">): Rights {
  const { raw = true, templates = true, rfid = true } = origin?.rights ?? {};
  const aliases = Object.entries(origin?.aliases ?? {}).map(([name, printer]) => ({ name, printer }));
  return { every: !origin?.aliases, aliases, raw, templates, rfid, open: origin?.open ?? false };
}

export function written({ every, aliases, raw, templates, rfid, open }: Rights): Omit<OriginBody, "origin"> {
  const printers = Object.fromEntries(aliases.map((alias) => [nameOf(alias), alias.printer]));
  return { printers: every ? null : printers, rights: { raw, templates, rfid }, open };
}

/** A printer without a name of its own goes by its short name. */
export const nameOf = ({ name, printer }: Alias): string => name.trim() || printer;

/** Whether an alias has the name of another: only one printer can answer to it. */
const isTaken = (aliases: readonly Alias[], alias: Alias): boolean =>
  aliases.some((other) => other !== alias && nameOf(other) === nameOf(alias));

/** What is wrong with the name of an alias. */
export function aliasProblem(aliases: readonly Alias[], alias: Alias): string | undefined {
  // No JSON that the bridge reads may have a key of this name.
  if (nameOf(alias) === "__proto__") return t.thisNameCannotBeUsed;
  return isTaken(aliases, alias) ? t.thisNameIsTaken : undefined;
}

export const areWritable = ({ every, aliases }: Rights): boolean =>
  every || !aliases.some((alias) => aliasProblem(aliases, alias));

/** `zd421 as front, dock`. */
export const printersInWords = ({ every, aliases }: Pick<Rights, "every" | "aliases">): string => {
  if (every) return t.everyPrinterInWords;
  const names = aliases.map((alias) =>
    nameOf(alias) === alias.printer ? alias.printer : t.as(alias.printer, nameOf(alias)),
  );
  return names.join(", ") || t.none;
};

export const printsInWords = ({ raw, templates, rfid }: Pick<Rights, "raw" | "templates" | "rfid">): string =>
  [raw && t.rawInWords, templates && t.templatesInWords, rfid && t.rfidTags].filter(Boolean).join(", ") ||
  t.nothing;
