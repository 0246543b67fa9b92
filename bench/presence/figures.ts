import { cpus } from "node:os";

export interface Figure {
  readonly name: string;
  readonly ours: string;
  readonly beside: string;
  readonly ratio: number;
  readonly wanted: string;
}

/** The one table that a benchmark prints. */
export function table(title: string, figures: readonly Figure[]): string {
  const rows = figures.map(({ name, ours, beside, ratio, wanted }) => [
    name,
    ours,
    beside,
    ratio.toFixed(2),
    wanted,
  ]);
  const all = [["what", "ours", "beside", "ratio", "wanted"], ...rows];
  const width = (column: number) => Math.max(...all.map((row) => (row[column] ?? "").length));
  const line = (row: string[]) => `| ${row.map((cell, i) => cell.padEnd(width(i))).join(" | ")} |`;
  const rule = `|${[0, 1, 2, 3, 4].map((i) => "-".repeat(width(i) + 2)).join("|")}|`;
  const machine = `${cpus().length} cores (${cpus()[0]?.model || process.arch}), Node ${process.versions.node}`;
  return [`${title} on ${machine}:`, "", line(all[0] as string[]), rule, ...rows.map(line)].join("\n");
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
