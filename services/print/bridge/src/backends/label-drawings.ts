import { textOf } from "../zpl/charset.ts";
import { readZpl } from "../zpl/formats.ts";
import { type ZplCommand, zplCommands } from "../zpl/scanner.ts";

/** What outlasts the label it stands in: fonts, places, sizes, character sets. */
const LASTING = new Set("^BY ^CF ^CI ^CV ^CW ^FW ^LH ^LL ^LR ^LS ^LT ^MU ^PM ^PO ^PW ^SE".split(" "));

/** The ZPL of one picture, and which of the job's it is, from 1. */
export interface LabelDrawing {
  readonly number: number;
  readonly zpl: string;
}

/**
 * A job's labels one by one, the last so many of them: each with what was stored before it (formats, graphics), and with
 * what earlier labels have set. Each is put together when it is drawn, since what was stored may be large.
 */
export function* labelDrawings(data: Uint8Array, most: number): Generator<LabelDrawing> {
  const text = Buffer.from(data).toString("latin1");
  const { formats } = readZpl(text);
  const commands = zplCommands(text);
  const skipped = formats.filter(({ labels }) => labels > 0).length - most;
  const settings = new Map<string, string>();
  let stored = "";
  let at = 0;
  let next = 0;
  let number = 0;
  const settingsUntil = (end: number) => {
    for (; next < commands.length && (commands[next] as ZplCommand).start < end; next++) {
      const { name, parameters } = commands[next] as ZplCommand;
      if (LASTING.has(name)) settings.set(name, name + parameters);
    }
  };
  for (const { start, end, labels } of formats) {
    stored += text.slice(at, start).trim();
    settingsUntil(start);
    const format = text.slice(start, end);
    if (labels === 0) stored += format;
    else if (++number > skipped) {
      const set = settings.size > 0 ? `^XA${[...settings.values()].join("")}^XZ` : "";
      yield { number, zpl: textOf(Buffer.from(stored + set + format, "latin1")) };
    }
    settingsUntil(end);
    at = end;
  }
}
