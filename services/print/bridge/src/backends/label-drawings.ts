import { textOf } from "../zpl/charset.ts";
import { fieldsOf, readZpl } from "../zpl/formats.ts";
import { type ZplCommand, zplCommands } from "../zpl/scanner.ts";

/** What outlasts the label it stands in: fonts, places, sizes, character sets. */
const LASTING = new Set("^BY ^CF ^CI ^CV ^CW ^FW ^LH ^LL ^LR ^LS ^LT ^MU ^PM ^PO ^PW ^SE".split(" "));
/** What changes the characters that commands are written with. */
const SPELLING = new Set("^CC ~CC ^CT ~CT ^CD ~CD".split(" "));
/** What stores a graphic or a font, wherever it stands: the ending of a name that has none. */
const STORING: Readonly<Record<string, string>> = {
  "~DG": "GRF",
  "~DY": "GRF",
  "~DB": "FNT",
  "~DS": "FNT",
  "~DT": "FNT",
  "~DU": "FNT",
};
/** The ZPL of one picture, and which of the job's it is, from 1. */
export interface LabelDrawing {
  readonly number: number;
  readonly zpl: string;
}

/**
 * A job's labels one by one, the last so many of them: each with what is stored when it is printed (formats, graphics),
 * and with what earlier labels have set. Each is put together when it is drawn, since what is stored may be large.
 */
export function* labelDrawings(data: Uint8Array, most: number): Generator<LabelDrawing> {
  const text = Buffer.from(data).toString("latin1");
  const { formats } = readZpl(text);
  const commands = zplCommands(text);
  const skipped = formats.filter(({ labels }) => labels > 0).length - most;
  const memory = createPrinterMemory(text);
  let next = 0;
  let number = 0;
  for (const format of formats) {
    const readUntil = (end: number) => {
      for (; next < commands.length && (commands[next] as ZplCommand).start < end; next++)
        memory.read(commands[next] as ZplCommand, format);
    };
    readUntil(format.start);
    if (format.labels > 0 && ++number > skipped) {
      const zpl = memory.zpl() + text.slice(format.start, format.end);
      yield { number, zpl: textOf(Buffer.from(zpl, "latin1")) };
    }
    readUntil(format.end);
  }
}

/** What a printer keeps from label to label, as the ZPL that brings it there. */
function createPrinterMemory(text: string) {
  const objects = new Map<string, string>();
  const settings = new Map<string, string>();
  const allOf = (kept: Map<string, string>) => [...kept.values()].join("");

  /** The last that came is the last in order. */
  function keep(kept: Map<string, string>, key: string, zpl: string): void {
    kept.delete(key);
    kept.set(key, zpl);
  }

  /** Parameters that are left out stay as they were: only a setting of the same parameters takes another's place. */
  function set(command: ZplCommand, zpl: string): void {
    const given = fieldsOf(command);
    const named = given.map((field) => (field === "" ? "-" : "+")).join("");
    // Each font has its own letter.
    const letter = command.name === "^CW" ? given[0]?.toUpperCase() : "";
    keep(settings, `${command.name}${letter}${named}`, zpl);
  }

  function remove(pattern: string): void {
    if (!pattern.includes("*")) objects.delete(pattern);
    else for (const name of objects.keys()) if (fits(name, pattern)) objects.delete(name);
  }

  return {
    /** `format`: the label that the command stands in, or before. */
    read(command: ZplCommand, format: { readonly start: number; readonly end: number }): void {
      const { name, start, end } = command;
      const [object = ""] = fieldsOf(command);
      const zpl = text.slice(start, end).trim();
      const ending = STORING[name];
      if (LASTING.has(name)) set(command, zpl);
      else if (SPELLING.has(name)) keep(objects, zpl, zpl);
      else if (ending) keep(objects, objectName(object, ending), zpl);
      // A format is stored with the fonts and sizes of its time.
      else if (name === "^DF" && start >= format.start)
        keep(objects, objectName(object, "ZPL"), allOf(settings) + text.slice(format.start, format.end));
      else if (name === "^ID") remove(objectName(object, "GRF"));
    },
    zpl: () => allOf(objects) + allOf(settings),
  };
}

/** In full, as `R:LOGO.GRF`: the memory and the ending may be left out. */
function objectName(name: string, ending: string): string {
  const full = name.includes(":") ? name : `R:${name}`;
  return (full.includes(".") ? full : `${full}.${ending}`).toUpperCase();
}

/** Whether a name is meant by a pattern, in which `*` is for any characters. */
function fits(name: string, pattern: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop() ?? "";
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}
