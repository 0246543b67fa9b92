import { fieldsOf } from "./formats.ts";
import { type ZplCommand, zplCommands } from "./scanner.ts";

/** What is likely a slip in a template: it would print, but not what its writer meant. */
export interface TemplateWarning {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface LabelSize {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly dpmm: number;
}

/** Every command of the ZPL II guide, by its two letters. `^A` takes any font's letter. */
const FORMAT_COMMANDS = new Set(
  `A@ B0 B1 B2 B3 B4 B5 B7 B8 B9 BA BB BC BD BE BF BI BJ BK BL BM BO BP BQ BR BS BT BU BX BY BZ CC CD CF CI CM CN CO CP
   CT CV CW DF DH DO FA FB FC FD FE FH FL FM FN FO FP FR FS FT FV FW FX GB GC GD GE GF GS HF HG HH HL HR HT HV HW HY HZ
   ID IL IM IS JB JH JI JJ JM JS JT JU JW JZ KC KD KL KN KP KV LF LH LL LR LS LT MA MC MD MF MI ML MM MN MP MT MU MW
   NB NC ND NI NN NP NS NT NW PA PF PH PM PN PO PP PQ PR PW RA RB RE RF RI RL RM RN RP RQ RR RS RT RU RV RW RZ
   SA SC SE SF SI SL SN SO SP SQ SR SS ST SX SZ TB TO WA WC WD WE WF WI WL WP WR WS WT WV WX XA XB XF XG XS XZ ZZ`
    .split(/\s+/)
    .map((name) => `^${name}`),
);
const CONTROL_COMMANDS = new Set(
  `CC CD CT DB DE DG DN DS DT DU DY EG HB HD HI HM HQ HS HU HL JA JB JC JD JE JF JG JI JL JN JO JP JQ JR JS JX KB NC NR
   NT PH PL PM PP PR PS RO RV SD TA WC WL WQ WR`
    .split(/\s+/)
    .map((name) => `~${name}`),
);
/** So many are worth reading. */
const MAX_WARNINGS = 100;
const MAX_NAME = 60;

/** What looks wrong in a ZPL template for labels of a size, in the order it stands there. */
export function zplWarnings(body: string, size: LabelSize): TemplateWarning[] {
  const found: Array<{ at: number; message: string }> = [];
  // In latin1 each byte of UTF-8 is one character, as the scanner wants it.
  const text = Buffer.from(body, "utf8").toString("latin1");
  const [width, height] = [Math.round(size.widthMm * size.dpmm), Math.round(size.heightMm * size.dpmm)];
  for (const command of zplCommands(text)) {
    const message = isKnown(command.name) ? offTheLabel(command, width, height) : unknown(command.name);
    if (message) found.push({ at: command.start, message });
    if (found.length >= MAX_WARNINGS) break;
  }
  const positions = positionsIn(text);
  const warnings = found.map(({ at, message }) => ({ ...positions(at), message }));
  return [...warnings, ...placeholderWarnings(body)]
    .sort((one, other) => one.line - other.line || one.column - other.column)
    .slice(0, MAX_WARNINGS);
}

/** Placeholders are numbers; a name stays as it stands and is printed. */
export function placeholderWarnings(body: string): TemplateWarning[] {
  const positions = positionsIn(Buffer.from(body, "utf8").toString("latin1"));
  const warnings: TemplateWarning[] = [];
  for (const found of body.matchAll(/\{\{([^{}\n]{0,60})\}\}/g)) {
    const name = found[1] ?? "";
    if (/^\d{1,4}$/.test(name)) continue;
    const at = Buffer.byteLength(body.slice(0, found.index));
    warnings.push({
      ...positions(at),
      message: `{{${name}}} is printed as it stands: placeholders are numbers, {{1}}, {{2}} …`,
    });
    if (warnings.length >= MAX_WARNINGS) break;
  }
  return warnings;
}

const isKnown = (name: string) =>
  FORMAT_COMMANDS.has(name) || CONTROL_COMMANDS.has(name.slice(0, 3)) || /^\^A[A-Z0-9]$/.test(name);

const unknown = (name: string) => `${name.slice(0, MAX_NAME)} is not a command of ZPL.`;

function offTheLabel(command: ZplCommand, width: number, height: number): string | undefined {
  if (command.name !== "^FO" && command.name !== "^FT") return undefined;
  const [x = 0, y = 0] = fieldsOf(command).map((field) => Number.parseInt(field, 10) || 0);
  if (x < width && y < height) return undefined;
  return `This field begins at ${x},${y}, off the label of ${width} by ${height} dots.`;
}

/** Line and column, both from 1, of a place in text that is asked for in rising order; each character is looked at once. */
function positionsIn(latin: string): (at: number) => { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  return (at) => {
    for (
      let end = latin.indexOf("\n", lineStart);
      end >= 0 && end < at;
      end = latin.indexOf("\n", lineStart)
    ) {
      line++;
      lineStart = end + 1;
    }
    return { line, column: Buffer.from(latin.slice(lineStart, at), "latin1").toString("utf8").length + 1 };
  };
}
