import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";

/** Writes a file whole or not at all. */
export function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, content, { mode });
  if ((mode & 0o077) === 0) keepFromOthers(draft);
  renameSync(draft, path);
}

/** On Windows modes protect nothing: there the file's access list names its owner alone. */
function keepFromOthers(path: string): void {
  if (process.platform !== "win32") return;
  execFileSync("icacls", [path, "/inheritance:r", "/grant:r", `${userInfo().username}:F`], { stdio: "pipe" });
}

/** What a file holds; made on first use, readable by its owner alone. */
export function keptSecret(path: string, make: () => string): { value: string; isNew: boolean } {
  if (existsSync(path)) return { value: readFileSync(path, "utf8").trim(), isNew: false };
  const value = make();
  writeWhole(path, `${value}\n`, 0o600);
  return { value, isNew: true };
}
