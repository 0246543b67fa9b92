export const t = {
  escapeThenTabLeaves: "Tab indents. Escape, then Tab, leaves the editor.",
  nothingChanges: "Nothing changes.",
  lineColumn: (line: number, column: number) => `Line ${line}, column ${column}`,
} as const;
