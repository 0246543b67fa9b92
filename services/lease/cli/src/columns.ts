/** A table in plain text. */
export function columns(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => (row[i] ?? "").length)));
  return [heads, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
