import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Writes a file whole or not at all. */
export function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, path);
}

/** What a file holds; made on first use, readable by its owner alone. */
export function keptSecret(path: string, make: () => string): { value: string; isNew: boolean } {
  if (existsSync(path)) return { value: readFileSync(path, "utf8").trim(), isNew: false };
  const value = make();
  writeWhole(path, `${value}\n`, 0o600);
  return { value, isNew: true };
}
