/** Control characters, and marks that turn the direction of text: what clients call themselves is not for the terminal to obey. */
const UNSHOWABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

export const showable = (text: string) => text.replace(UNSHOWABLE, "?");

/** JSON keeps what it says: such characters are only within texts, and are told by their number there. */
export const showableJson = (value: unknown) =>
  JSON.stringify(value, null, 2).replace(UNSHOWABLE, (sign) =>
    sign === "\n" ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A table in plain text. */
export function columns(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const widths = heads.map((head) => head.length);
  const shown = rows.map((row) => row.map(showable));
  for (const row of shown) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return [heads, ...shown]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
