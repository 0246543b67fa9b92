/** A cell that a spreadsheet would run as a formula is kept a text by an apostrophe; one that has such already, by one more. */
const FORMULA = /^'*[=+\-@\t\r]/;
/** Spaces around a cell without quotes are nothing to those who read it. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Rows as CSV (RFC 4180), with the byte order mark by which spreadsheets know UTF-8. */
export function csvOf(header: readonly string[], rows: ReadonlyArray<readonly unknown[]>): string {
  return `\uFEFF${[header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

function cell(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = value === null || value === undefined ? "" : String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Hands a file to the person, as if it came from a link. */
export function download(name: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
