/** Times are kept as milliseconds and told as ISO 8601. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
}

/** What has just happened is told several times with the same time. */
let last = { milliseconds: 0, text: new Date(0).toISOString() };

export const isoTimeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : isoTime(milliseconds);
