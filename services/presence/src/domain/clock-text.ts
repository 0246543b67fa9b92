const MAX_KEPT = 1_000;
/** What happens together is told with the same few times, again and again. */
const texts = new Map<number, string>();

/** Times are kept as milliseconds and told as ISO 8601. */
export function isoTime(milliseconds: number): string {
  const known = texts.get(milliseconds);
  if (known !== undefined) return known;
  const text = new Date(milliseconds).toISOString();
  if (texts.size >= MAX_KEPT) texts.clear();
  texts.set(milliseconds, text);
  return text;
}

export const isoTimeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : isoTime(milliseconds);
