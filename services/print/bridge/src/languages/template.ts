import type { Language } from "../domain/printer.ts";
import { fillZpl } from "../zpl/fill.ts";
import { readZpl } from "../zpl/formats.ts";
import { zplCommands } from "../zpl/scanner.ts";
import { holdsSgd } from "../zpl/sgd.ts";
import { usesTags } from "./judge.ts";

const PLACEHOLDER = /\{\{(\d{1,4})\}\}/g;

/** The numbers of the placeholders in a template, each once, in order. */
export function placeholdersOf(body: string): number[] {
  return [...new Set([...body.matchAll(PLACEHOLDER)].map((found) => Number(found[1])))].sort((a, b) => a - b);
}

/** A template, or a value for it, that cannot be used; the message says why. */
export class Unusable extends Error {
  override name = "Unusable";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const CONTROL = /[\u0000-\u001f\u007f]/;

function plain(value: string): string {
  if (CONTROL.test(value)) throw new Unusable("has a control character, which this language cannot print");
  return value;
}

/** A value as each language reads it back; throws Unusable where the language has no way to say it. */
const ESCAPES: Readonly<Record<Exclude<Language, "zpl">, (value: string) => string>> = {
  epl: (value) => plain(value).replace(/[\\"]/g, "\\$&"),
  tspl: (value) => {
    if (value.includes("\\[")) throw new Unusable('has "\\[", which TSPL would take for a command');
    return plain(value).replaceAll('"', '\\["]');
  },
  cpcl: plain,
  escpos: plain,
  sbpl: plain,
};

const latin1 = (body: string) => Buffer.from(body, "utf8").toString("latin1");

/** Throws Unusable when a template of this language could not be filled safely. */
export function checkTemplate(language: Language, body: string): void {
  if (placeholdersOf(body).includes(0)) throw new Unusable("Placeholders count from {{1}}.");
  if (language !== "zpl") return;
  const text = latin1(body);
  const { formats, isUnfinished, hazards } = readZpl(text);
  if (formats.length === 0) throw new Unusable("The template has no label: ^XA … ^XZ.");
  if (isUnfinished) throw new Unusable("The template begins a label (^XA) that it does not end (^XZ).");
  let inFields = 0;
  for (const { name, parameters } of zplCommands(text)) {
    const changed = { "^CC": "^", "~CC": "^", "^CT": "~", "~CT": "~", "^CD": ",", "~CD": "," }[name];
    // Writing the usual characters anew changes nothing: design programs begin with `~CC^~CT~`.
    if (changed !== undefined && parameters !== changed)
      throw new Unusable("A template must not change the caret, the tilde or the delimiter.");
    const placed = [...parameters.matchAll(PLACEHOLDER)].length;
    if (name === "^FD" || name === "^FV") inFields += placed;
    else if (placed > 0)
      throw new Unusable(`A placeholder stands in ${name}; it must stand in field data (^FD).`);
  }
  if (inFields < [...text.matchAll(PLACEHOLDER)].length)
    throw new Unusable("A placeholder stands outside of any command; it must stand in field data (^FD).");
  // No printer would be given it.
  const hazard = hazards.state ?? hazards.controls;
  if (hazard !== undefined) throw new Unusable(`The template ${hazard}.`);
  // Fixed text that the template's own character set cannot say is found before anything is printed.
  fillTemplate(language, body, []);
}

export const templateUsesRfid = (language: Language, body: string) =>
  language === "zpl" ? readZpl(latin1(body)).usesRfid : usesTags(language, latin1(body));

/** Fills a template for one label. Every placeholder has its value: the caller has seen to that. */
export function fillTemplate(language: Language, body: string, values: readonly string[]): Uint8Array {
  const value = (number: number) => values[number - 1] ?? "";
  if (language === "zpl") return fillZpl(body, { value, unprintable });
  const escaped = ESCAPES[language];
  return Buffer.from(
    body.replace(PLACEHOLDER, (placeholder, number, at: number) => {
      const text = escaped(value(Number(number)));
      if (language === "tspl") assertNoCommand(body[at - 1], text, body[at + placeholder.length]);
      return text;
    }),
    "utf8",
  );
}

/** A printer that speaks ZPL too finds it in any text: a value must not hold any. */
export function assertNoZpl(language: Language, value: string): void {
  // ZPL itself has a way to say ^ and ~ in field data.
  if (language !== "zpl" && /[\^~]/.test(value))
    throw new Unusable("has ^ or ~, which this printer would take for ZPL");
  if (holdsSgd(value)) throw new Unusable("has a setting (! U1 …), which this printer would obey");
}

/** TSPL's commands within a text, such as `\\[R]`, may also come of a value and what stands beside it. */
function assertNoCommand(before: string | undefined, text: string, after: string | undefined): void {
  const begins = before === "\\" && text.startsWith("[");
  const ends = text.endsWith("\\") && (after === "[" || after === "{");
  if (begins || ends)
    throw new Unusable('makes "\\[" with what stands beside it, which TSPL would take for a command');
}

function unprintable(text: string, isValue: boolean): never {
  if (isValue) throw new Unusable("has a character that the template's character set (^CI) cannot print");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  const odd = /[^\x00-\x7f]+/.exec(text)?.[0] ?? text;
  throw new Unusable(`The template has "${odd.slice(0, 20)}", which its character set (^CI) cannot print.`);
}
