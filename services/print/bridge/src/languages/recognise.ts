// biome-ignore-all lint/suspicious/noControlCharactersInRegex: printers speak in control characters
import type { Language } from "../domain/printer.ts";

/**
 * How the first bytes of each language look, the surest signs first. ZPL alone may have anything before its
 * first command, so it is looked for last, in the whole of the data.
 */
const BEGINNINGS: ReadonlyArray<[language: Language, sign: RegExp]> = [
  ["sbpl", /^[\x02\s]*\x1bA(?:\x1b|[\s\d])/],
  ["escpos", /^\s*(?:\x1b[@!aEdtMJ2-3Kp*]|\x1d[!VkwhHBL(v]|\x10\x04)/],
  ["cpcl", /^\s*!\s+(?:\d+\s+\d+\s+\d+\s+\d+\s+\d+|UTILITIES|DF\s)/i],
  ["zpl", /^\s*(?:! U1? (?:getvar|setvar|do) |\^[A-Z]{2}|~[A-Z]{2})/i],
  [
    "tspl",
    /^\s*(?:(?:SIZE|GAP|BLINE|DIRECTION|REFERENCE|DENSITY|SPEED|OFFSET|CODEPAGE)\s+[\d"]|CLS\s*\r?\n|SET\s+[A-Z]+\s)/i,
  ],
  ["epl", /^\s*(?:N\s*\r?\n|I8,|q\d+\s*\r?\n|Q\d+,|S\d\s*\r?\n|D\d+\s*\r?\n|ZT|ZB|UQ|US\b|FK")/],
];
const MAX_BEGINNING = 2_048;
const ZPL_ANYWHERE = /\^XA|~(?:CC|CT|DG|DY)/i;

/** The language a job is written in, or none that can be told. */
export function recogniseLanguage(data: Uint8Array): Language | undefined {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");
  const beginning = text.slice(0, MAX_BEGINNING);
  const found = BEGINNINGS.find(([, sign]) => sign.test(beginning))?.[0];
  return found ?? (ZPL_ANYWHERE.test(text) ? "zpl" : undefined);
}
