/** Dates, numbers and counts as the reader's language writes them. */
const EXACT: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "long" };
const LIST = new Intl.ListFormat("en");
const formats = new Map<string, Intl.DateTimeFormat>();

export const exactTime = (time: string | number | Date, timeZone?: string): string =>
  dateFormat({ ...EXACT, timeZone }).format(new Date(time));

export const clockTime = (time: string | number | Date, timeZone?: string): string =>
  dateFormat({ timeStyle: "short", timeZone }).format(new Date(time));

export const shortDate = (time: string | number | Date, timeZone?: string): string =>
  dateFormat({ dateStyle: "medium", timeZone }).format(new Date(time));

/** Whether this browser knows a time zone: others, and servers, may know newer ones. The functions here throw where it does not. */
export function isKnownZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone }) !== undefined;
  } catch {
    return false;
  }
}

/** A day as people say it: with its year only where that is not the one of `now`. */
export function nearDate(time: number, now: number, timeZone?: string): string {
  const year = dateFormat({ year: "numeric", timeZone });
  const isThisYear = year.format(time) === year.format(now);
  return dateFormat({
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
    timeZone,
  }).format(time);
}

/** A time of today by the clock alone, of another day with the day. */
export function nearTime(time: number, now: number, timeZone?: string): string {
  const isToday = shortDate(time, timeZone) === shortDate(now, timeZone);
  const clock = clockTime(time, timeZone);
  return isToday ? clock : `${nearDate(time, now, timeZone)} ${clock}`;
}

export const longDate = (time: string | number | Date, timeZone?: string): string =>
  dateFormat({ dateStyle: "long", timeZone }).format(new Date(time));

/** `front, back and depot`, as the words around it are written: in English. */
export const listed = (words: readonly string[]): string => LIST.format(words);

export const wholeNumber = (value: number): string =>
  value.toLocaleString(undefined, { maximumFractionDigits: 0 });

export const percentage = (share: number): string =>
  share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 });

/** How large a file is, in the unit in which the number is short: `20 kB`, `4.2 MB`. */
export function fileSize(bytes: number): string {
  const [unit, size] =
    bytes < 1_000
      ? (["byte", 1] as const)
      : bytes < 1_000_000
        ? (["kilobyte", 1_000] as const)
        : (["megabyte", 1_000_000] as const);
  // Upwards: what is over a limit must not be told as the limit.
  return (Math.ceil((bytes / size) * 10) / 10).toLocaleString(undefined, { style: "unit", unit });
}

/** A length of time in its largest two units: `1 h 30 min`, `45 s`. */
export function duration(milliseconds: number): string {
  const units: ReadonlyArray<[size: number, unit: string]> = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1_000, "second"],
  ];
  if (milliseconds < 1_000) return unit(Math.round(milliseconds), "millisecond");
  const first = units.findIndex(([size]) => milliseconds >= size);
  let rest = Math.round(milliseconds / 1_000) * 1_000;
  const parts: string[] = [];
  for (const [size, name] of units.slice(first, first + 2)) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(unit(amount, name));
  }
  return parts.join(" ");
}

export interface PluralForms {
  readonly zero?: string;
  readonly one: string;
  readonly other: string;
}

/** `count(1, {one: "# label", other: "# labels"})`: the number stands where the `#` is. */
export function count(amount: number, forms: PluralForms, locale = "en"): string {
  const rule = new Intl.PluralRules(locale).select(amount);
  const some = rule === "one" ? forms.one : forms.other;
  // None may be said by nothing at all.
  const form = amount === 0 ? (forms.zero ?? some) : some;
  return form.replace("#", wholeNumber(amount));
}

function unit(amount: number, name: string): string {
  return amount.toLocaleString(undefined, { style: "unit", unit: name, unitDisplay: "short" });
}

function dateFormat({
  timeZone,
  ...options
}: Omit<Intl.DateTimeFormatOptions, "timeZone"> & { timeZone?: string | undefined }) {
  const all = timeZone ? { ...options, timeZone } : options;
  const key = JSON.stringify(all);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(undefined, all);
  formats.set(key, known);
  return known;
}
