import { isoTime } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import type { StatusDefinition } from "./resources.ts";
import { addDays, instantOf, minuteOf, wallTimeOf } from "./zoned-time.ts";

const MINUTE_MS = 60_000;
/** Later times have years of more than four digits, which ISO 8601 as we publish it has not. */
const MAX_TIME = Date.parse("9999-12-31T23:59:59.999Z");

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type EndDay = "today" | "tomorrow" | (typeof WEEKDAYS)[number];

/** When a status ends, as a person says it. */
export type Until =
  | "default"
  | "open"
  | { readonly minutes: number }
  | { readonly day: EndDay; readonly time: string }
  | { readonly at: string };

/** The instant that is meant; null where there is none. Days and times are those of the member's zone. */
export function endOf(
  until: Until,
  definition: Pick<StatusDefinition, "defaultMinutes">,
  now: number,
  timeZone: string,
): number | null {
  if (until === "open") return null;
  if (until === "default")
    return definition.defaultMinutes ? now + definition.defaultMinutes * MINUTE_MS : null;
  if ("minutes" in until) return now + until.minutes * MINUTE_MS;
  if ("at" in until) return timeOf(until.at, "until");
  const today = wallTimeOf(now, timeZone);
  return instantOf(addDays(today, daysUntil(until.day, today.weekday)), minuteOf(until.time), timeZone);
}

/** A weekday is the next one, never today. */
function daysUntil(day: EndDay, weekday: number): number {
  if (day === "today") return 0;
  if (day === "tomorrow") return 1;
  const days = WEEKDAYS.indexOf(day) + 1 - weekday;
  return days > 0 ? days : days + 7;
}

/** Schemas let through what looks like a time; a leap second, for one, is none that we can keep. */
export function timeOf(text: string, name: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time) || time < 0 || time > MAX_TIME)
    throw refuse("invalid", `${name} "${text}" is not a time.`);
  return time;
}

const CHIPS: ReadonlyArray<{ readonly name: string; readonly until: Exclude<Until, "default" | "open"> }> = [
  { name: "30m", until: { minutes: 30 } },
  { name: "1h", until: { minutes: 60 } },
  { name: "2h", until: { minutes: 120 } },
  { name: "today-17:00", until: { day: "today", time: "17:00" } },
  { name: "tomorrow-9:00", until: { day: "tomorrow", time: "09:00" } },
  { name: "monday-9:00", until: { day: "monday", time: "09:00" } },
];

/** The ends that are offered, with the instants they mean; those that have passed are not. */
export function offeredEnds(now: number, timeZone: string) {
  return CHIPS.flatMap(({ name, until }) => {
    const at = endOf(until, {}, now, timeZone);
    return at !== null && at > now ? [{ name, until, at: isoTime(at) }] : [];
  });
}
