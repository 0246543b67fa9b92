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
/** No setting is longer. */
const MAX_SETTING = 1_000;
/** No name of a stored object is longer. */
const MAX_NAME = 100;
/** Settings that are stored with formats: so much more than its own data a job may have stored. */
const MAX_COPIED = 1024 * 1024;
/** So many names are compared with patterns for one job. */
const MAX_COMPARED = 1_000_000;

/** The ZPL of one picture, and which of the job's it is, from 1. */
export interface LabelDrawing {
  readonly number: number;
  /** Undefined where the job has stored or deleted more than is kept. */
  readonly zpl: string | undefined;
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
      const before = memory.zpl();
      const zpl =
        before === undefined
          ? undefined
          : textOf(Buffer.from(before + text.slice(format.start, format.end), "latin1"));
      yield { number, zpl };
    }
    readUntil(format.end);
  }
}

/** What a printer keeps from label to label, as the ZPL that brings it there. */
function createPrinterMemory(text: string) {
  const objects = new Map<string, string>();
  const settings = new Map<string, string>();
  /** All settings as one text, which formats share; undefined where one has changed since. */
  let allSettings: string | undefined;
  let left = text.length + MAX_COPIED;
  let compared = 0;
  const isFull = () => left < 0 || compared > MAX_COMPARED;

  /** The last that came is the last in order. */
  function keep(kept: Map<string, string>, key: string, zpl: string): void {
    forget(kept, key);
    kept.set(key, zpl);
    left -= zpl.length;
  }

  function forget(kept: Map<string, string>, key: string): void {
    left += kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  /** Parameters that are left out stay as they were: only a setting of the same parameters takes another's place. */
  function set(command: ZplCommand, zpl: string): void {
    if (zpl.length > MAX_SETTING) return;
    const given = fieldsOf(command);
    const named = given.map((field) => (field === "" ? "-" : "+")).join("");
    // Each font has its own letter.
    const letter = command.name === "^CW" ? given[0]?.toUpperCase() : "";
    keep(settings, `${command.name}${letter}${named}`, zpl);
    allSettings = undefined;
  }

  function settingsText(): string {
    allSettings ??= [...settings.values()].join("");
    return allSettings;
  }

  function store(name: string, zpl: string): void {
    if (name.length <= MAX_NAME) keep(objects, name, zpl);
  }

  function remove(pattern: string): void {
    if (pattern.length > MAX_NAME) return;
    if (!pattern.includes("*")) {
      forget(objects, pattern);
      return;
    }
    compared += objects.size;
    if (isFull()) return;
    const fits = matcherOf(pattern);
    for (const name of objects.keys()) if (fits(name)) forget(objects, name);
  }

  return {
    /** `format`: the label that the command stands in, or before. */
    read(command: ZplCommand, format: { readonly start: number; readonly end: number }): void {
      if (isFull()) return;
      const { name, start, end } = command;
      const [object = ""] = fieldsOf(command);
      const zpl = text.slice(start, end).trim();
      const ending = STORING[name];
      if (LASTING.has(name)) set(command, zpl);
      else if (SPELLING.has(name)) store(zpl, zpl);
      else if (ending) store(objectName(object, ending), zpl);
      // A format is stored with the fonts and sizes of its time.
      else if (name === "^DF" && start >= format.start)
        store(objectName(object, "ZPL"), settingsText() + text.slice(format.start, format.end));
      else if (name === "^ID") remove(objectName(object, "GRF"));
    },
    zpl: () => (isFull() ? undefined : [...objects.values()].join("") + settingsText()),
  };
}

/** In full, as `R:LOGO.GRF`: the memory and the ending may be left out. */
function objectName(name: string, ending: string): string {
  const full = name.includes(":") ? name : `R:${name}`;
  return (full.includes(".") ? full : `${full}.${ending}`).toUpperCase();
}

/** Tells of names whether they are meant by a pattern, in which `*` is for any characters. */
function matcherOf(pattern: string): (name: string) => boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop() ?? "";
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - at >= last.length && name.endsWith(last);
  };
}
