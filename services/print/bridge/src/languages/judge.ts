// biome-ignore-all lint/suspicious/noControlCharactersInRegex: printers speak in control characters
import type { Language } from "../domain/printer.ts";

interface Signs {
  /** The quantity of each print command, as its first group; as its second, if there is one, how often each label comes. */
  readonly quantity?: RegExp;
  /** What works with RFID tags. */
  readonly rfid?: RegExp;
}

/**
 * What is known of the languages that are not read command by command. `ESC IP` is SATO's (CL4NX Programming
 * Reference, chapter 16), `RFID` is TSC's. For CPCL no RFID command is published: there an RFID printer needs the
 * right for every job, and no template is called RFID.
 */
const SIGNS: Readonly<Record<Exclude<Language, "zpl">, Signs>> = {
  epl: { quantity: /^[ \t]*PA?(\d{1,9})(?:,(\d{1,9}))?/gm },
  tspl: { quantity: /^[ \t]*PRINT[ \t]+(\d{1,9})(?:[ \t]*,[ \t]*(\d{1,9}))?/gim, rfid: /^[ \t]*RFID/im },
  cpcl: { quantity: /^[ \t]*![ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+(\d{1,9})/gm },
  sbpl: { quantity: /\x1bQ(\d{1,9})/g, rfid: /\x1bIP/ },
  escpos: {},
};

/** How many labels come out of data in a language, as far as its print commands tell: at least one. */
export function labelsIn(language: Language | undefined, text: string): number {
  const { quantity } = language && language !== "zpl" ? SIGNS[language] : {};
  if (!quantity) return 1;
  let labels = 0;
  for (const [, sets, copies = 1] of text.matchAll(quantity)) labels += Number(sets) * Number(copies);
  return Math.max(1, labels);
}

/** Whether data in a language other than ZPL works with RFID tags. */
export const usesTags = (language: Language | undefined, text: string): boolean =>
  language !== undefined && language !== "zpl" && (SIGNS[language].rfid?.test(text) ?? false);
