import type { Language } from "./printer.ts";

/** Which language a printer speaks, from what it says of itself; the surest clue first. */
const COMMAND_SETS: ReadonlyArray<[clue: RegExp, language: Language]> = [
  [/\bzpl/i, "zpl"],
  [/\bepl/i, "epl"],
  [/\bcpcl\b/i, "cpcl"],
  [/\btspl/i, "tspl"],
  [/\besc\W?pos\b|\bescpos|\bpos\.escpos/i, "escpos"],
  [/\bsbpl\b/i, "sbpl"],
];

/** What makers speak where the printer itself does not say. */
const MAKERS: ReadonlyArray<[clue: RegExp, language: Language]> = [
  [/\bzebra\b|\bztc\b|\bzdesigner\b/i, "zpl"],
  [/\btsc\b/i, "tspl"],
  [/\bsato\b/i, "sbpl"],
  [/\bepson tm\b|\btm-[a-z]\d/i, "escpos"],
];

export function languagesIn(...texts: ReadonlyArray<string | undefined>): Language[] {
  const text = texts.filter(Boolean).join(" ; ");
  const said = COMMAND_SETS.filter(([clue]) => clue.test(text)).map(([, language]) => language);
  if (said.length > 0) return said;
  return MAKERS.filter(([clue]) => clue.test(text))
    .slice(0, 1)
    .map(([, language]) => language);
}

/** Resolutions that label printers have, as they are written in their names. */
const DENSITIES: ReadonlyArray<[from: number, to: number, dpmm: number]> = [
  [150, 155, 6],
  [200, 204, 8],
  [300, 306, 12],
  [600, 610, 24],
];

export function dpmmIn(...texts: ReadonlyArray<string | undefined>): number | undefined {
  const dpi = Number(/(?<!\d)(\d{3})\s?dpi\b/i.exec(texts.filter(Boolean).join(" "))?.[1]);
  return DENSITIES.find(([from, to]) => dpi >= from && dpi <= to)?.[2];
}

/** What a device says of itself goes onto pages and terminals: no control characters, and not too much of it. */
export function plainText(text: string | undefined, most = 120): string | undefined {
  const plain = text
    ?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, most);
  return plain || undefined;
}

/** An IEEE 1284 device id: `MFG:Zebra;CMD:ZPL;MDL:ZT411;` with long names or short ones. */
export function readDeviceId(text: string) {
  const parts = new Map<string, string>();
  for (const part of text.slice(0, 4096).split(";").slice(0, 50)) {
    const colon = part.indexOf(":");
    if (colon > 0) parts.set(part.slice(0, colon).trim().toUpperCase(), part.slice(colon + 1));
  }
  const one = (...names: string[]) => plainText(names.map((name) => parts.get(name)).find(Boolean));
  return {
    maker: one("MFG", "MANUFACTURER"),
    model: one("MDL", "MODEL"),
    commandSet: one("CMD", "COMMAND SET"),
    serial: one("SN", "SERN", "SERIALNUMBER", "SER"),
    description: one("DES", "DESCRIPTION"),
  };
}
