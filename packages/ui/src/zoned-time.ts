/** The clock on the wall of a zone at an instant: `2026-11-15 09:00:00`. */
export function wallTimeOf(instant: string, timeZone: string): string {
  const part = partsIn(timeZone, Date.parse(instant));
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}:${part("second")}`;
}

/**
 * The instant at which a zone's clocks show this. A time that the clocks skip in spring is the same way after the
 * change; one that they show twice in autumn is the first of the two.
 */
export function instantOf(wallTime: string, timeZone: string): string {
  const asUtc = Date.parse(`${wallTime.replace(" ", "T")}Z`);
  const offsets = [asUtc - 86_400_000, asUtc + 86_400_000].map((around) => offsetAt(around, timeZone));
  const fitting = offsets
    .map((offset) => asUtc - offset)
    .filter((instant) => instant + offsetAt(instant, timeZone) === asUtc);
  const instant = fitting.length > 0 ? Math.min(...fitting) : asUtc - (offsets[0] ?? 0);
  return new Date(instant).toISOString();
}

function offsetAt(instant: number, timeZone: string): number {
  const part = partsIn(timeZone, instant);
  const shown = Date.UTC(
    Number(part("year")),
    Number(part("month")) - 1,
    Number(part("day")),
    Number(part("hour")),
    Number(part("minute")),
    Number(part("second")),
  );
  return shown - Math.floor(instant / 1_000) * 1_000;
}

function partsIn(timeZone: string, instant: number): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(instant);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}
