import { availableParallelism, cpus, totalmem } from "node:os";

/** A table in Markdown, so that what a run prints can be kept as it is. */
export function table(head: string[], rows: Array<Array<string | number>>): string {
  const cells = [head, ...rows.map((row) => row.map(String))];
  const width = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(width[column] ?? 0)).join(" | ")} |`;
  return [
    line(head),
    `| ${width.map((count) => "-".repeat(count)).join(" | ")} |`,
    ...cells.slice(1).map(line),
  ].join("\n");
}

/** On what a figure was measured. */
export function machine(): string {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${process.arch}, ${cpus()[0]?.model ?? "unknown"}), ${gib} GiB, Node ${process.versions.node}, ${process.platform}`;
}

export const whole = (value: number) => Math.round(value).toLocaleString("en-US").replaceAll(",", " ");
