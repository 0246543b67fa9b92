import type { Language } from "../domain/printer.ts";
import { usesRfid, zplCommands, zplFormats } from "./zpl-formats.ts";

const PLACEHOLDER = /\{\{(\d{1,4})\}\}/g;

/** The numbers of the placeholders in a template, each once, in order. */
export function placeholdersOf(body: string): number[] {
  return [...new Set([...body.matchAll(PLACEHOLDER)].map((found) => Number(found[1])))].sort((a, b) => a - b);
}

/** A template, or a value for it, that cannot be used; the message says why. */
export class Unusable extends Error {
  override name = "Unusable";
}

/** How a language carries text that came from elsewhere. */
interface Dialect {
  /** The text as the language reads it back; throws Unusable where it has no way to say it. */
  readonly escape: (value: string) => string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const CONTROL = /[\u0000-\u001f\u007f]/;

function plain(value: string): string {
  if (CONTROL.test(value)) throw new Unusable("has a control character, which this language cannot print");
  return value;
}

const DIALECTS: Readonly<Record<Exclude<Language, "zpl">, Dialect>> = {
  epl: { escape: (value) => plain(value).replace(/[\\"]/g, "\\$&") },
  tspl: {
    escape: (value) => {
      if (value.includes("\\[")) throw new Unusable('has "\\[", which TSPL would take for a command');
      return plain(value).replaceAll('"', '\\["]');
    },
  },
  cpcl: { escape: plain },
  escpos: { escape: plain },
  sbpl: { escape: plain },
};

/** Throws Unusable when a template of this language could not be filled safely. */
export function checkTemplate(language: Language, body: string): void {
  const numbers = placeholdersOf(body);
  if (numbers.includes(0)) throw new Unusable("Placeholders count from {{1}}.");
  if (language !== "zpl") return;
  const latin = Buffer.from(body, "utf8").toString("latin1");
  if (zplFormats(latin).length === 0) throw new Unusable("The template has no label: ^XA … ^XZ.");
  for (const { name, parametersAt, end } of zplCommands(latin)) {
    if (/^[\^~]C[CT]$/.test(name)) throw new Unusable("A template must not change the caret or the tilde.");
    const text = latin.slice(parametersAt, end);
    if (name !== "^FD" && name !== "^FV" && placeholdersOf(text).length > 0) {
      throw new Unusable(`A placeholder stands in ${name}; it must stand in field data (^FD).`);
    }
  }
}

export const templateUsesRfid = (language: Language, body: string) =>
  language === "zpl" && usesRfid(Buffer.from(body, "utf8").toString("latin1"));

/** Fills a template for one label. Every placeholder has its value: the caller has seen to that. */
export function fillTemplate(language: Language, body: string, values: readonly string[]): string {
  if (language === "zpl") return fillZpl(body, values);
  const dialect = DIALECTS[language];
  return body.replace(PLACEHOLDER, (_, number) => dialect.escape(values[Number(number) - 1] ?? ""));
}

/**
 * Field data is written in field hex (`^FH`), which can say any byte; where a field has no `^FH` one
 * is added, and what the template itself has there is written in hex too, so that it stays what it was.
 */
function fillZpl(body: string, values: readonly string[]): string {
  const latin = Buffer.from(body, "utf8").toString("latin1");
  let filled = "";
  let at = 0;
  let hex: string | undefined;
  let code128 = false;
  let beyondAscii = false;
  for (const { name, parametersAt, start, end } of zplCommands(latin)) {
    const text = latin.slice(parametersAt, end);
    if (name === "^FS" || name === "^XA") {
      hex = undefined;
      code128 = false;
    }
    if (name === "^FH") hex = text.trim() || "_";
    // In Code 128 without a mode, ">" begins a command of the bar code itself.
    if (name === "^BC") code128 = !/^[^,]*(,[^,]*){4},[UAD]/i.test(text);
    if ((name === "^FD" || name === "^FV") && placeholdersOf(text).length > 0) {
      const indicator = hex ?? "_";
      const own = (part: string) => (hex === undefined ? part.replaceAll("_", "_5F") : part);
      const parts = text.split(/\{\{(\d{1,4})\}\}/);
      const data = parts.map((part, index) => {
        if (index % 2 === 0) return own(part);
        const value = values[Number(part) - 1] ?? "";
        beyondAscii ||= Buffer.byteLength(value) !== value.length;
        return fieldHex(code128 ? value.replaceAll(">", ">0") : value, indicator);
      });
      filled += `${latin.slice(at, start)}${hex === undefined ? "^FH_" : ""}${name}${data.join("")}`;
      at = end;
    }
  }
  filled += latin.slice(at);
  // Without it the printer reads the bytes of UTF-8 one by one.
  if (beyondAscii && !/\^CI/i.test(filled)) filled = filled.replace(/\^XA/gi, "$&^CI28");
  return Buffer.from(filled, "latin1").toString("utf8");
}

function fieldHex(value: string, indicator: string): string {
  let text = "";
  for (const byte of Buffer.from(value, "utf8")) {
    const character = String.fromCharCode(byte);
    const safe = byte >= 0x20 && byte < 0x7f && !`^~${indicator}\\`.includes(character);
    text += safe ? character : `${indicator}${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}
