import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";
import { systemSecrets } from "../adapters/secrets.ts";
import { openRegistry } from "../adapters/sqlite-registry.ts";
import { createAccess } from "../domain/access.ts";

/** What a person typed wrong, or what stands in the way: one sentence, and exit code 1. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The bridge's home, where a running bridge and the command line meet. */
export function printHome(): string {
  const { FRONTDESK_HOME } = readSettings(houseSettings, process.env, "FRONTDESK_");
  const home = join(FRONTDESK_HOME, "print");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return home;
}

/** Does something with the administrator's decisions and puts them away again. */
export function withConfiguration<T>(work: (configuration: ReturnType<typeof openConfiguration>) => T): T {
  const configuration = openConfiguration();
  try {
    return work(configuration);
  } finally {
    configuration.registry.close();
  }
}

function openConfiguration() {
  const home = printHome();
  const registry = openRegistry(join(home, "config.db"));
  const access = createAccess({ registry, clock: systemClock, secrets: systemSecrets, authFailureLimit: 5 });
  return { home, registry, access };
}

/** A list for people, or for programs. */
export function show(rows: ReadonlyArray<Record<string, unknown>>, asJson: boolean, empty: string): void {
  if (asJson) return void console.log(JSON.stringify(rows, null, 2));
  if (rows.length === 0) return void console.log(empty);
  const columns = Object.keys(rows[0] as object);
  const text = (value: unknown) =>
    value === undefined || value === ""
      ? "-"
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  const table = [columns, ...rows.map((row) => columns.map((column) => text(row[column])))];
  const widths = columns.map((_, at) => Math.max(...table.map((row) => (row[at] as string).length)));
  for (const row of table)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] as number))
        .join("  ")
        .trimEnd(),
    );
}
