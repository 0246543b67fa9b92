const DAY_S = 86_400;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));
const MAX_DATES = 64;
/** Up to the hour, by day. */
const dates = new Map<number, string>();

/** Whole seconds since 1970 in UTC, as `toISOString` writes them: a list has hundreds, most of them of a few days. */
export function timeText(seconds: number): string {
  const day = Math.floor(seconds / DAY_S);
  const ofDay = seconds - day * DAY_S;
  const [h, m, s] = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60, ofDay % 60];
  return `${dates.get(day) ?? dateOf(day)}${TWO_DIGITS[h]}:${TWO_DIGITS[m]}:${TWO_DIGITS[s]}.000Z`;
}

function dateOf(day: number): string {
  const date = new Date(day * DAY_S * 1000).toISOString().slice(0, -"00:00:00.000Z".length);
  if (dates.size === MAX_DATES) dates.clear();
  dates.set(day, date);
  return date;
}
