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
  | { readonly kind: "tag"; readonly key: string; readonly epc: string };

/** Put before and after a tag's value in the read-back we ask for (`^HV`), to find it again and to know whose it is. */
export const tagHeader = (key: string) => `FDEPC${key}[`;
export const TAG_TAIL = "]";

const hex = (text: string | undefined) => Number.parseInt(text ?? "0", 16);
const on = (text: string | undefined) => text === "1";

/**
 * Each answer's shape, none of them without an end. Firmware differs in line ends and in whether STX and ETX
 * stand around `~HQES`.
 */
const SHAPES: ReadonlyArray<[kind: Reply["kind"], shape: RegExp, read: (found: readonly string[]) => Reply]> =
  [
    [
      "errors",
      /ERRORS:\s{1,16}\d\s{1,8}[\dA-F]{8}\s{1,8}([\dA-F]{8})[\s\S]{0,40}?WARNINGS:\s{1,16}\d\s{1,8}[\dA-F]{8}\s{1,8}([\dA-F]{8})/i,
      ([errors, warnings]) => ({ kind: "errors", errors: hex(errors), warnings: hex(warnings) }),
    ],
    [
      "buffer",
      /\x02\d{3},(\d),(\d),\d{4,6},(\d{3}),\d,\d,(\d),\d{3},\d,\d,(\d)\x03/,
      ([paperOut, paused, formatsWaiting, partialFormat, tooHot]) => ({
        kind: "buffer",
        paperOut: on(paperOut),
        paused: on(paused),
        formatsWaiting: Number(formatsWaiting),
        partialFormat: on(partialFormat),
        tooHot: on(tooHot),
      }),
    ],
    [
      "head",
      /\x02\d{3},\d,(\d),(\d),\d,.,\d,\d,(\d{8}),\d,\d{3}\x03/,
      ([headOpen, ribbonOut, labelsRemaining]) => ({
        kind: "head",
        headOpen: on(headOpen),
        ribbonOut: on(ribbonOut),
        labelsRemaining: Number(labelsRemaining),
      }),
    ],
    // Not over a line or into the next answer: where noise took a quotation mark, the others would pair wrongly for good.
    ["variable", /"([^"\x02\r\n]{0,512})"/, ([value = ""]) => ({ kind: "variable", value })],
    [
      "tag",
      /FDEPC([\dA-Z]{0,20})\[([^[\]]{0,512})\]/i,
      ([key = "", epc = ""]) => ({ kind: "tag", key, epc: epc.trim().toUpperCase() }),
    ],
  ];

/** All of them at once, so that every byte is looked at once: the answer that begins first is found first. */
const ANY_SHAPE = new RegExp(SHAPES.map(([kind, { source }]) => `(?<${kind}>${source})`).join("|"), "gi");
const MAX_REPLY = 1024;

/** Takes bytes as they come and tells each answer once, in the order they stand. */
export function createReplyReader(tell: (reply: Reply) => void): (bytes: Uint8Array) => void {
  let pending = "";
  return (bytes) => {
    pending += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    let end = 0;
    for (const found of pending.matchAll(ANY_SHAPE)) {
      end = found.index + found[0].length;
      const [, shape, read] = SHAPES.find(([kind]) => found.groups?.[kind] !== undefined) ?? [];
      if (shape && read) tell(read((shape.exec(found[0]) ?? []).slice(1)));
    }
    pending = pending.slice(Math.max(end, pending.length - MAX_REPLY));
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
