/** A list as it was shown, and which of its rows a person was at. */
export interface Shown<Row> {
  readonly rows: readonly Row[];
  readonly at: number;
}

/**
 * Which row a person is at who was at the one of this name: the same, wherever it is now; where it has left the list, the
 * one that followed it, or else the one before it.
 */
export function placeOf<Row>(
  name: string | undefined,
  rows: readonly Row[],
  before: Shown<Row>,
  nameOf: (row: Row) => string,
): number {
  if (name === undefined || rows.length === 0) return 0;
  const isAt = (index: number, wanted: string) => {
    const row = rows[index];
    return row !== undefined && nameOf(row) === wanted;
  };
  // Mostly it is where it was.
  if (isAt(before.at, name)) return before.at;
  const places = new Map(rows.map((row, index) => [nameOf(row), index]));
  const neighbours = [...before.rows.slice(before.at + 1), ...before.rows.slice(0, before.at).reverse()];
  for (const wanted of [name, ...neighbours.map(nameOf)]) {
    const place = places.get(wanted);
    if (place !== undefined) return place;
  }
  return Math.min(before.at, rows.length - 1);
}
