import { fieldsOf } from "@frontdesk/print-bridge/zpl/formats";
import { readFieldHex, type ZplCommand } from "@frontdesk/print-bridge/zpl/scanner";

/** One label format, from `^XA` to `^XZ`, as the printer understood it. */
export interface Format {
  readonly zpl: string;
  readonly quantity: number;
  readonly prints: boolean;
  /** The hexadecimal data of the tag to write, when the format encodes one. */
  readonly encode: string | undefined;
  /** How many labels may be spent on one tag (`^RS`), voided ones counted. */
  readonly tries: number;
  readonly readBack: { readonly header: string; readonly tail: string } | undefined;
}

/** What leaves ink on a label. A format with none of these only sets something. */
const LEAVES_INK = new Set([
  "^FD",
  "^FV",
  "^SN",
  "^GB",
  "^GC",
  "^GD",
  "^GE",
  "^GF",
  "^GS",
  "^XG",
  "^XF",
  "^IM",
  "^IL",
]);
const DEFAULT_TRIES = 3;

export function understandFormat(commands: readonly ZplCommand[]): Format {
  const find = (name: string) => commands.findLast((command) => command.name === name);
  const stores = find("^DF") !== undefined || fieldsOf(find("^IS"))[1]?.toUpperCase() === "N";
  const readBackAt = commands.findIndex(({ name }) => name === "^HV");
  return {
    zpl: `^XA${commands.map(({ name, parameters }) => name + parameters).join("")}^XZ`,
    quantity: Math.max(1, Number(fieldsOf(find("^PQ"))[0]) || 1),
    prints: !stores && commands.some(({ name }) => LEAVES_INK.has(name)),
    encode: tagData(commands),
    tries: Math.max(1, Number(fieldsOf(find("^RS"))[3]) || DEFAULT_TRIES),
    readBack: readBackAt < 0 ? undefined : hostVerification(commands, readBackAt),
  };
}

/** `^RFW,H … ^FDdata^FS`: the field data that follows a write, in hexadecimal; `^RFW,A` writes its letters. */
function tagData(commands: readonly ZplCommand[]): string | undefined {
  const write = commands.findIndex(({ name, parameters }) => name === "^RF" && /^W/i.test(parameters));
  if (write < 0) return undefined;
  const at = commands.findIndex(({ name }, index) => index > write && name === "^FD");
  if (at < 0) return undefined;
  const value = readFieldHex(commands[at]?.parameters ?? "", hexIndicator(commands, at));
  if (fieldsOf(commands[write])[1]?.toUpperCase() === "A")
    return Buffer.from(value, "latin1").toString("hex").toUpperCase();
  return value.trim().toUpperCase();
}

/** `^HV#,n,h,t,a`: a header before the field's value and something after it, both in field hex. */
function hostVerification(commands: readonly ZplCommand[], at: number) {
  const hex = hexIndicator(commands, at);
  const [, , header = "", tail = ""] = (commands[at]?.parameters ?? "").split(",");
  return { header: readFieldHex(header, hex), tail: readFieldHex(tail, hex) };
}

/** What `^FH` before a field says begins a byte in hexadecimal. */
function hexIndicator(commands: readonly ZplCommand[], at: number): string | undefined {
  const before = commands[at - 1];
  return before?.name === "^FH" ? before.parameters.trim() || "_" : undefined;
}
