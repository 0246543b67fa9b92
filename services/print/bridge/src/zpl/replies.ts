// biome-ignore-all lint/suspicious/noControlCharactersInRegex: printers speak in control characters
/** What a ZPL printer says about itself, found in the bytes that come back. */
export type Reply =
  | { readonly kind: "errors"; readonly errors: number; readonly warnings: number }
  | {
      readonly kind: "buffer";
      readonly paperOut: boolean;
      readonly paused: boolean;
      readonly formatsWaiting: number;
      readonly partialFormat: boolean;
      readonly tooHot: boolean;
    }
  | {
      readonly kind: "head";
      readonly headOpen: boolean;
      readonly ribbonOut: boolean;
      readonly labelsRemaining: number;
    }
  | { readonly kind: "variable"; readonly value: string }
  | { readonly kind: "tag"; readonly epc: string };

/** Put before and after a tag's value in the read-back we ask for (`^HV`), to find it again. */
export const TAG_HEADER = "FDEPC[";
export const TAG_TAIL = "]";

const hex = (text: string | undefined) => Number.parseInt(text ?? "0", 16);
const on = (text: string | undefined) => text === "1";

/** Each answer's shape. Firmware differs in line ends and in whether STX and ETX stand around `~HQES`. */
const SHAPES: ReadonlyArray<[shape: RegExp, read: (found: RegExpExecArray) => Reply]> = [
  [
    /ERRORS:\s+\d\s+[\dA-F]{8}\s+([\dA-F]{8})[\s\S]{0,40}?WARNINGS:\s+\d\s+[\dA-F]{8}\s+([\dA-F]{8})/i,
    (found) => ({ kind: "errors", errors: hex(found[1]), warnings: hex(found[2]) }),
  ],
  [
    /\x02\d{3},(\d),(\d),\d{4},(\d{3}),\d,\d,(\d),\d{3},\d,\d,(\d)\x03/,
    (found) => ({
      kind: "buffer",
      paperOut: on(found[1]),
      paused: on(found[2]),
      formatsWaiting: Number(found[3]),
      partialFormat: on(found[4]),
      tooHot: on(found[5]),
    }),
  ],
  [
    /\x02\d{3},\d,(\d),(\d),\d,.,\d,\d,(\d{8}),\d,\d{3}\x03/,
    (found) => ({
      kind: "head",
      headOpen: on(found[1]),
      ribbonOut: on(found[2]),
      labelsRemaining: Number(found[3]),
    }),
  ],
  [/"([^"]{0,512})"/, (found) => ({ kind: "variable", value: found[1] ?? "" })],
  [/FDEPC\[([^\]]{0,512})\]/, (found) => ({ kind: "tag", epc: (found[1] ?? "").trim().toUpperCase() })],
];

const LONGEST_REPLY = 4 * 1024;

/** Takes bytes as they come and tells each answer once, in the order they stand. */
export function createReplyReader(tell: (reply: Reply) => void): (bytes: Uint8Array) => void {
  let pending = "";
  return (bytes) => {
    pending += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    for (;;) {
      const first = SHAPES.map(([shape, read]) => ({ found: shape.exec(pending), read }))
        .filter(({ found }) => found !== null)
        .sort((a, b) => (a.found?.index ?? 0) - (b.found?.index ?? 0))[0];
      if (!first?.found) break;
      pending = pending.slice(first.found.index + first.found[0].length);
      tell(first.read(first.found));
    }
    pending = pending.slice(-LONGEST_REPLY);
  };
}

const ERROR_BITS: ReadonlyArray<[bit: number, reason: string]> = [
  [0x1, "paper-out"],
  [0x2, "ribbon-out"],
  [0x4, "head-open"],
  [0x8, "cutter-fault"],
  [0x10, "head-too-hot"],
  [0x20, "motor-too-hot"],
  [0x40, "bad-head-element"],
  [0x80, "head-detection"],
  [0x1000, "paper-jam"],
  [0x2000, "presenter"],
  [0x4000, "paper-feed"],
  [0x8000, "paper-path"],
  [0x10000, "paused"],
];

/** The names of what stands in the error word of `~HQES`; a bit we do not know is still an error. */
export function errorReasons(errors: number): string[] {
  const known = ERROR_BITS.filter(([bit]) => errors & bit).map(([, reason]) => reason);
  const rest = ERROR_BITS.reduce((bits, [bit]) => bits & ~bit, errors);
  return rest ? [...known, `error-${(rest >>> 0).toString(16)}`] : known;
}
