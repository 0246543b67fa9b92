/** Columns and rows for a screen that is wider than high: 60 people make 6 by 10. */
export function tiling(people: number): { columns: number; rows: number } {
  const columns = Math.max(2, Math.ceil(Math.sqrt(people / 1.75)));
  return { columns, rows: Math.max(4, Math.ceil(people / columns)) };
}
