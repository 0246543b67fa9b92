export const t = {
  nothingChanges: "Nothing changes.",
  lineColumn: (line: number, column: number) => `Line ${line}, column ${column}`,
} as const;
