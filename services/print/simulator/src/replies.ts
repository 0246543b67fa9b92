/** What stops a printer, and where each of these shows in its answers. */
export const CONDITIONS = {
  "paper-out": { errorBit: 0x1 },
  "ribbon-out": { errorBit: 0x2 },
  "head-open": { errorBit: 0x4 },
  paused: { errorBit: 0x10000 },
} as const;

export type Condition = keyof typeof CONDITIONS;

export interface Identity {
  readonly model: string;
  readonly firmware: string;
  readonly dpmm: number;
}

export interface Situation {
  readonly conditions: ReadonlySet<Condition>;
  readonly labelLengthDots: number;
  readonly formatsWaiting: number;
  readonly partialFormat: boolean;
  readonly labelsRemaining: number;
}

const flag = (on: boolean) => (on ? "1" : "0");
const padded = (value: number, width: number) => String(value).padStart(width, "0");

/** `~HI`: model, firmware, dots per millimetre, memory. */
export function hostIdentification({ model, firmware, dpmm }: Identity): string {
  return `\x02${model},${firmware},${dpmm},8192KB,X\x03\r\n`;
}

/** `~HS`: three strings between STX and ETX, as the ZPL II guide lays them out. */
export function hostStatus(now: Situation): string {
  const has = (condition: Condition) => flag(now.conditions.has(condition));
  const one = [
    "030",
    has("paper-out"),
    has("paused"),
    padded(now.labelLengthDots, 4),
    padded(now.formatsWaiting, 3),
    "0",
    "0",
    flag(now.partialFormat),
    "000",
    "0",
    "0",
    "0",
  ];
  const two = [
    "001",
    "0",
    has("head-open"),
    has("ribbon-out"),
    "1",
    "2",
    "6",
    "0",
    padded(now.labelsRemaining, 8),
    "1",
    "000",
  ];
  return [one.join(","), two.join(","), "1234,0"].map((line) => `\x02${line}\x03\r\n`).join("");
}

/** `~HQES`: a flag and two words of bits for errors, and the same for warnings. */
export function errorStatus({ conditions }: Situation): string {
  const bits = [...conditions].reduce((sum, name) => sum | CONDITIONS[name].errorBit, 0);
  const word = bits.toString(16).toUpperCase().padStart(8, "0");
  return [
    "\x02",
    "  PRINTER STATUS",
    `   ERRORS:         ${bits ? 1 : 0} 00000000 ${word}`,
    "   WARNINGS:       0 00000000 00000000",
    "\x03",
  ].join("\r\n");
}

/** `^HH`: the configuration, as the printer would print it. */
export function configuration({ model, firmware, dpmm }: Identity): string {
  const lines = [
    [`${Math.round(dpmm * 25.4)} DPI`, "RESOLUTION"],
    [firmware, "FIRMWARE"],
    [model, "MODEL"],
  ].map(([value = "", name]) => `  ${value.padEnd(20)}${name}`);
  return ["\x02", ...lines, "\x03"].join("\r\n");
}
