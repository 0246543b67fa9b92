/** Times of day on the clocks of a zone, by the zones that the runtime knows. */

const DAY_MS = 24 * 60 * 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 1_000;

/** A day of the calendar: months from 1. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export function isTimeZone(name: string): boolean {
  // Offsets like `+02:00` are taken by the runtime too, and know no summer.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Which day it is in a zone at an instant, which minute of it, and which weekday: Monday is 1. */
export function wallTimeOf(
  instant: number,
  timeZone: string,
): CalendarDay & { readonly minute: number; readonly weekday: number } {
  const shown = new Date(instant + offsetAt(instant, timeZone));
  const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth() + 1, shown.getUTCDate()];
  const minute = shown.getUTCHours() * 60 + shown.getUTCMinutes();
  return { year, month, day, minute, weekday: weekdayOf({ year, month, day }) };
}

/**
 * The instant at which a zone's clocks show a minute of a day. What the clocks skip in spring is as long after the
 * change; of what they show twice in autumn it is the first.
 */
export function instantOf({ year, month, day }: CalendarDay, minute: number, timeZone: string): number {
  const shown = Date.UTC(year, month - 1, day, 0, minute);
  const before = offsetAt(shown - DAY_MS, timeZone);
  const after = offsetAt(shown + DAY_MS, timeZone);
  const fitting = [shown - before, shown - after].filter(
    (instant) => instant + offsetAt(instant, timeZone) === shown,
  );
  return fitting.length > 0 ? Math.min(...fitting) : shown - before;
}

export function addDays({ year, month, day }: CalendarDay, days: number): CalendarDay {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

export const weekdayOf = ({ year, month, day }: CalendarDay): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;

/** `17:30` as minutes since midnight, and back. */
export const minuteOf = (clockTime: string): number =>
  Number(clockTime.slice(0, 2)) * 60 + Number(clockTime.slice(3));
export const clockTimeOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

/** The first instant after a moment at which a zone's clocks show a minute of any day. */
export function nextDaily(after: number, minute: number, timeZone: string): number {
  const today = wallTimeOf(after, timeZone);
  // From yesterday on: clocks that jump may bring its last minutes into today.
  for (const days of [-1, 0, 1]) {
    const instant = instantOf(addDays(today, days), minute, timeZone);
    if (instant > after) return instant;
  }
  return instantOf(addDays(today, 2), minute, timeZone);
}

/** Asking the runtime takes long, and a calendar of weekly statuses asks thousands of times. */
const offsets = new Map<string, number>();
const MAX_OFFSETS = 20_000;
/** Within one no zone changes its clocks. */
const QUARTER_MS = 15 * 60_000;

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(instant: number, timeZone: string): number {
  const quarter = Math.floor(instant / QUARTER_MS);
  const key = `${quarter} ${timeZone}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const { year, month, day, hour, minute, second } = partsAt(quarter * QUARTER_MS, timeZone);
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter * QUARTER_MS;
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

type Part = "year" | "month" | "day" | "hour" | "minute" | "second";

function partsAt(instant: number, timeZone: string): Record<Part, number> {
  const parts: Partial<Record<string, number>> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) parts[type] = Number(value);
  return parts as Record<Part, number>;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en", {
    // A zone that was taken by another runtime and that this one does not know.
    timeZone: isTimeZone(timeZone) ? timeZone : "UTC",
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}
