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

type Command = { readonly name: string; readonly text: string };

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
  "^IM",
  "^IL",
]);
const DEFAULT_TRIES = 3;

export function understandFormat(commands: readonly Command[]): Format {
  const find = (name: string) => commands.find((command) => command.name === name)?.text;
  const parameter = (text: string | undefined, index: number) => text?.split(",")[index]?.trim();
  const stores = find("^DF") !== undefined;
  const readBackAt = commands.findIndex(({ name }) => name === "^HV");
  return {
    zpl: `^XA${commands.map(({ name, text }) => name + text).join("")}^XZ`,
    quantity: Math.max(1, Number(parameter(find("^PQ"), 0)) || 1),
    prints: !stores && commands.some(({ name }) => LEAVES_INK.has(name)),
    encode: tagData(commands),
    tries: Math.max(1, Number(parameter(find("^RS"), 3)) || DEFAULT_TRIES),
    readBack: readBackAt < 0 ? undefined : hostVerification(commands, readBackAt),
  };
}

/** `^RFW,H … ^FDdata^FS`: the field data that follows a write. */
function tagData(commands: readonly Command[]): string | undefined {
  const write = commands.findIndex(({ name, text }) => name === "^RF" && /^W/i.test(text));
  if (write < 0) return undefined;
  const data = commands.slice(write + 1).find(({ name }) => name === "^FD");
  return data?.text.trim().toUpperCase();
}

/** `^HV#,n,h,t,a`: a header before the field's value and something after it, both in field hex. */
function hostVerification(commands: readonly Command[], at: number) {
  const hex = commands[at - 1]?.name === "^FH" ? commands[at - 1]?.text.trim() || "_" : undefined;
  const plain = (text: string) =>
    hex
      ? text.replace(new RegExp(`\\${hex}([0-9A-F]{2})`, "gi"), (_, code) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        )
      : text;
  const [, , header = "", tail = ""] = (commands[at]?.text ?? "").split(",");
  return { header: plain(header), tail: plain(tail) };
}
