import { t } from "./words/frame.ts";

const UNITS: ReadonlyArray<[seconds: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [31_536_000, "year"],
  [2_592_000, "month"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

/** How long ago, in words: `3 hours ago`. What is still to come: `in 3 hours`. */
export function ago(time: string, now: number = Date.now()): string {
  const seconds = Math.round((Date.parse(time) - now) / 1_000);
  const [size, unit] = UNITS.find(([each]) => Math.abs(seconds) >= each) ?? [];
  if (!size || !unit) return seconds > 0 ? t.inAMoment : t.justNow;
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(Math.trunc(seconds / size), unit);
}
