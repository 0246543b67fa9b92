// biome-ignore-all lint/suspicious/noControlCharactersInRegex: printers speak in control characters
import type { Language } from "../domain/printer.ts";

/** How the first bytes of each language look, the surest signs first. */
const SIGNS: ReadonlyArray<[language: Language, sign: RegExp]> = [
  ["sbpl", /^[\x02\s]*\x1bA(?:\x1b|[\s\d])/],
  ["escpos", /^\s*(?:\x1b[@!aEdtMJ2-3Kp*]|\x1d[!VkwhHBL(v]|\x10\x04)/],
  ["zpl", /^[^\x1b]{0,200}?(?:\^XA|~(?:DG|DY|HS|HI|HQ|JA|JC|JR|PS|PP|SD|TA|WC|WQ|CC|CT|RV)|\^[A-Z]{2})/i],
  ["cpcl", /^\s*!\s+(?:\d+\s+\d+\s+\d+\s+\d+\s+\d+|UTILITIES|DF\s)/i],
  ["zpl", /^\s*! U1? (?:getvar|setvar|do) /],
  [
    "tspl",
    /^\s*(?:(?:SIZE|GAP|BLINE|DIRECTION|REFERENCE|DENSITY|SPEED|OFFSET|CODEPAGE)\s+[\d"]|CLS\s*\r?\n|SET\s+[A-Z]+\s)/i,
  ],
  ["epl", /^\s*(?:N\s*\r?\n|I8,|q\d+\s*\r?\n|Q\d+,|S\d\s*\r?\n|D\d+\s*\r?\n|ZT|ZB|UQ|US\b|FK")/],
];

/** The language a job is written in, or none that can be told. */
export function recogniseLanguage(data: Uint8Array): Language | undefined {
  const head = Buffer.from(data.buffer, data.byteOffset, Math.min(data.byteLength, 2048)).toString("latin1");
  return SIGNS.find(([, sign]) => sign.test(head))?.[0];
}
