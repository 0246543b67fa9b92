import type { Language, PrinterRecord } from "../domain/printer.ts";
import { textOf } from "../zpl/charset.ts";
import { fillTemplate } from "./template.ts";

const ESC = "\x1b";
const GS = "\x1d";

/** A small label in each language: {{1}} the printer's name, {{2}} how it is reached, {{3}} the time. */
const BODIES: Readonly<Record<Exclude<Language, "zpl">, string>> = {
  epl: 'N\nA30,30,0,4,1,1,N,"{{1}}"\nA30,80,0,3,1,1,N,"{{2}}"\nA30,120,0,3,1,1,N,"{{3}}"\nP1\n',
  tspl: 'CLS\r\nTEXT 30,30,"3",0,1,1,"{{1}}"\r\nTEXT 30,80,"2",0,1,1,"{{2}}"\r\nTEXT 30,120,"2",0,1,1,"{{3}}"\r\nPRINT 1\r\n',
  cpcl: "! 0 200 200 200 1\r\nTEXT 4 0 30 20 {{1}}\r\nTEXT 7 0 30 80 {{2}}\r\nTEXT 7 0 30 120 {{3}}\r\nFORM\r\nPRINT\r\n",
  escpos: `${ESC}@{{1}}\n{{2}}\n{{3}}\n\n\n\n${GS}V\x00`,
  sbpl: `${ESC}A${ESC}H0030${ESC}V0030${ESC}XM{{1}}${ESC}H0030${ESC}V0090${ESC}XS{{2}}${ESC}H0030${ESC}V0130${ESC}XS{{3}}${ESC}Q1${ESC}Z`,
};

/** Drawn for the size of the printer's labels, with a frame: what is cut off or shifted shows at once. */
function zplBody({ widthMm, heightMm, dpmm }: PrinterRecord): string {
  const [width, height] = [Math.round(widthMm * dpmm), Math.round(heightMm * dpmm)];
  const margin = 2 * dpmm;
  const line = Math.max(14, Math.min(6 * dpmm, Math.round(height / 8)));
  const small = Math.round(line * 0.6);
  const left = margin * 3;
  const textWidth = width - left * 2;
  const at = (y: number, size: number, text: string) =>
    `^FO${left},${Math.round(y)}^A0N,${size},${size}^FB${textWidth},1,0,L^FD${text}^FS`;
  return [
    "^XA^CI28",
    `^FO${margin},${margin}^GB${width - 2 * margin},${height - 2 * margin},${Math.max(2, Math.round(dpmm / 3))}^FS`,
    at(margin * 2 + line * 0.4, line, "{{1}}"),
    at(margin * 2 + line * 1.9, small, "{{2}}"),
    at(margin * 2 + line * 2.8, small, "{{3}}"),
    height > line * 7 ? `^FO${left},${Math.round(margin * 2 + line * 4)}^BQN,2,4^FDQA,Frontdesk^FS` : "",
    "^XZ",
  ].join("");
}

/** A label that tells the person in front of the printer which one it is. */
export function testLabel(printer: PrinterRecord, time: string): string {
  const language = printer.languages[0] ?? "zpl";
  const body = language === "zpl" ? zplBody(printer) : BODIES[language];
  // A name may hold what another language, or this one, would take for a command.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
  const odd = language === "zpl" ? /[\u0000-\u001f\u007f]/g : /[\u0000-\u001f\u007f^~\\]/g;
  const how = `${printer.transport} ${printer.address}`.trim();
  return textOf(fillTemplate(language, body, [printer.name.replace(odd, " "), how.replace(odd, " "), time]));
}
