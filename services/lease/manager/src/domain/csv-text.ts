export interface CsvRow {
  /** Where it begins in the text, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Spreadsheets of some countries write semicolons: whichever the first line has more of. */
const separatorOf = (text: string) => {
  const [first = ""] = text.split(/\r?\n/, 1);
  return first.split(";").length > first.split(",").length ? ";" : ",";
};

/** RFC 4180, rows without anything left out; undefined when a quote is not closed. */
export function parseCsv(source: string): CsvRow[] | undefined {
  const text = source.replace(/^\uFEFF/, "");
  const separator = separatorOf(text);
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let [line, began, at] = [1, 1, 0];
  const endRow = () => {
    if (cells.some((cell) => cell !== "")) rows.push({ line: began, cells });
    cells = [];
    began = line;
  };
  while (at < text.length) {
    if (text[at] === '"') {
      let cell = "";
      for (;;) {
        const end = text.indexOf('"', at + 1);
        if (end < 0) return undefined;
        cell += text.slice(at + 1, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
      line += cell.split("\n").length - 1;
      cells.push(cell);
    } else {
      let end = at;
      while (end < text.length && text[end] !== separator && text[end] !== "\n") end++;
      cells.push(text.slice(at, end).trim());
      at = end;
    }
    // What stands between a closing quote and the separator is nothing.
    while (at < text.length && text[at] !== separator && text[at] !== "\n") at++;
    if (text[at] === separator) {
      at++;
      if (at === text.length) cells.push("");
      continue;
    }
    at++;
    line++;
    endRow();
  }
  endRow();
  return rows;
}
